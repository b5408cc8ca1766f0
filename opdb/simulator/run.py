#!/usr/bin/env python3
"""Runs a PyTorch program on a machine without accelerator as if it had one.

usage: run.py [--target NAME] SCRIPT [ARG...]
       run.py [--target NAME] -m MODULE [ARG...]

NAME is the device's name (neuron, tpu, npu; default simx). README.md beside this file says what is simulated and what is not.
The exit code is the program's; 2: it could not be started.
"""
import os
import runpy
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def parse(argv):
    target, module = None, False
    while argv and argv[0].startswith("-"):
        flag = argv.pop(0)
        if flag == "--target" and argv:
            target = argv.pop(0)
        elif flag.startswith("--target="):
            target = flag.partition("=")[2]
        elif flag == "-m":
            module = True
            break
        else:
            print(__doc__ if flag in ("-h", "--help") else f"torchport: unknown option {flag}\n{__doc__}", file=sys.stderr)
            sys.exit(0 if flag in ("-h", "--help") else 2)
    if not argv:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    return target, module, argv


def hide_own_frames(kind, value, trace):
    """A traceback begins in the program, as without this launcher."""
    while trace and (trace.tb_frame.f_code.co_filename == __file__ or "runpy" in trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    sys.__excepthook__(kind, value.with_traceback(trace), trace)


def main():
    target, module, argv = parse(sys.argv[1:])
    if not module and not os.path.exists(argv[0]):
        print(f"torchport: no such file: {argv[0]}", file=sys.stderr)
        sys.exit(2)
    # While the program runs, sys.path is what `python SCRIPT` would give it.
    if HERE not in sys.path:
        sys.path.insert(0, HERE)
    import torchport_simulator

    try:
        torchport_simulator.install(target or torchport_simulator.DEFAULT_TARGET)
    except torchport_simulator.Error as e:
        print(f"torchport: {e}", file=sys.stderr)
        sys.exit(2)
    sys.path.remove(HERE)
    sys.excepthook = hide_own_frames
    sys.argv = argv
    if module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(argv[0])))
        runpy.run_path(argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
