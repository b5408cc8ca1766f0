#!/usr/bin/env python3
"""Times `torchport scan` beside a bare tree-sitter parse, `ruff check --no-cache` and `rg -c cuda` on two large trees.

  bench.py [--runs N]

One round runs every command once, so that ratios compare neighbours in time; the best and the median round are printed.
CPU is user + system time of the whole process tree, as the kernel counts it. Trees lie in build/bench; the file system's cache is warm.
"""
import argparse, json, os, pathlib, statistics, subprocess, sys, tarfile, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build/release"
TREES = ROOT / "build/bench"
JOBS = os.cpu_count()


def fetch_trees():
    """The trees that bench-trees.txt pins, downloaded once, hashes checked by pip."""
    pins = ROOT / "cmake/bench-trees.txt"
    names = [line.split()[0].replace("==", "-") for line in pins.read_text().splitlines() if line and not line.startswith("#")]
    for name in names:
        if (TREES / name / ".done").exists():
            continue
        with tempfile.TemporaryDirectory() as tmp:
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                            "--no-build-isolation", "--no-binary", ",".join(n.rsplit("-", 1)[0] for n in names),
                            "--require-hashes", "-r", str(pins), "-d", tmp], check=True, stdin=subprocess.DEVNULL)
            for archive in pathlib.Path(tmp).glob("*.tar.gz"):
                tarfile.open(archive).extractall(TREES)
        for done in names:
            (TREES / done / ".done").touch()
    return [TREES / name for name in names]


class Run:
    """One finished command: its times in seconds and its peak memory in MB (never below Python's own, which the child starts with)."""

    def __init__(self, argv, ok=(0,), cwd=ROOT):
        start = time.monotonic()
        with open(os.devnull, "r+") as null:
            child = subprocess.Popen(argv, stdin=null, stdout=null, stderr=null, cwd=cwd)
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss / 1024
        if child.returncode not in ok:
            sys.exit(f"{argv[0]} failed with {child.returncode}: {' '.join(map(str, argv))}")


def start_up(count=100):
    """Milliseconds from spawn to exit of `torchport --version`."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        child = os.posix_spawn(RELEASE / "torchport", ["torchport", "--version"], {},
                               file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        os.waitpid(child, 0)
        times.append((time.perf_counter() - start) * 1000)
    return times


def measure(tree, runs):
    python_files = sorted(str(p) for p in tree.rglob("*.py") if p.is_file() and not p.is_symlink())
    marked = subprocess.run([RELEASE / "marked_files"], input="\n".join(python_files) + "\n", capture_output=True, text=True, check=True).stdout
    list_file = TREES / f"{tree.name}.list"
    list_file.write_text(marked)
    scan = json.loads(subprocess.run([RELEASE / "torchport", "scan", "--format", "json", tree], capture_output=True, check=True).stdout)
    size = sum(os.path.getsize(p) for p in python_files)
    marked_size = sum(os.path.getsize(p) for p in marked.splitlines())
    print(f"\n{tree.name}: {len(python_files)} .py files, {size / 1e6:.1f} MB; {len(marked.splitlines())} hold a marker word, {marked_size / 1e6:.1f} MB;"
          f" torchport scanned {scan['files']['scanned']}, {len(scan['findings'])} findings")
    commands = {
        "torchport scan": [RELEASE / "torchport", "scan", "--format", "json", tree],
        "torchport scan --jobs 1": [RELEASE / "torchport", "scan", "--format", "json", "--jobs", "1", tree],
        "bare parse": [RELEASE / "bare_parse", list_file, str(JOBS)],
        "bare parse, 1 thread": [RELEASE / "bare_parse", list_file, "1"],
        "ruff check --no-cache": [ROOT / ".venv/bin/ruff", "check", "--no-cache", "--isolated", "--exit-zero", "--quiet", tree],
        "rg -c cuda": ["rg", "-c", "cuda", tree],
    }
    rounds = [{name: Run(argv) for name, argv in commands.items()} for _ in range(runs)]
    print(f"  {'':26}{'CPU min':>9}{'median':>9}{'wall min':>10}{'median':>9}{'peak MB':>9}")
    for name in commands:
        of = [r[name] for r in rounds]
        print(f"  {name:26}{min(r.cpu for r in of):8.3f}s{statistics.median(r.cpu for r in of):8.3f}s"
              f"{min(r.wall for r in of):9.3f}s{statistics.median(r.wall for r in of):8.3f}s{max(r.peak for r in of):9.1f}")
    result = {}
    for name, other, what in (("torchport scan", "bare parse", "cpu"), ("torchport scan --jobs 1", "bare parse, 1 thread", "cpu"),
                              ("torchport scan", "ruff check --no-cache", "cpu"), ("torchport scan", "ruff check --no-cache", "wall"),
                              ("torchport scan", "rg -c cuda", "wall")):
        ratios = [getattr(r[name], what) / getattr(r[other], what) for r in rounds]
        print(f"  {name} / {other}, {what}: {min(ratios):.2f} best, {statistics.median(ratios):.2f} median")
        result[f"{name} / {other} {what}"] = statistics.median(ratios)
    return result


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=5)
    options = options.parse_args()
    TREES.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([ROOT / ".venv/bin/ruff", "--version"], capture_output=True, text=True).stdout.strip()
    print(f"{JOBS} cores, {options.runs} rounds, {version}, {subprocess.run(['rg', '--version'], capture_output=True, text=True).stdout.split(chr(10))[0]}")
    times = start_up()
    print(f"start-up (torchport --version): {min(times):.2f} ms min, {statistics.median(times):.2f} ms median of {len(times)}")
    for tree in fetch_trees():
        measure(tree, options.runs)


main()
