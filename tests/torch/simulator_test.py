#!/usr/bin/env python3
"""The simulated device does what PyTorch asks of an accelerator. Closing line: N passed, N failed."""
import io
import os
import pathlib
import sys
import traceback
import warnings

REPO = pathlib.Path(__file__).resolve().parents[2]
NAME = "neuron"
sys.path.insert(0, str(REPO / "opdb/simulator"))
import torch  # noqa: E402
from torch import nn  # noqa: E402

import torchport_simulator  # noqa: E402


def same(a, b):
    assert torch.allclose(a.cpu(), b.cpu(), atol=1e-5), (a, b)


def raises(kind, words, call):
    try:
        call()
    except kind as e:
        assert words in str(e), e
        return
    raise AssertionError("did not raise")


def is_the_accelerator():
    assert torch.accelerator.is_available() and torch.accelerator.device_count() == 1
    assert torch.accelerator.current_accelerator(check_available=True) == torch.device(NAME)
    assert torch.accelerator.current_device_index() == 0 and torch.neuron.is_available() and not torch.cuda.is_available()
    torch.accelerator.set_device_index(0)
    with torch.accelerator.device_index(0), torch.neuron.device(0):
        pass
    raises(RuntimeError, "invalid device index", lambda: torch.accelerator.set_device_index(1))
    raises(RuntimeError, "invalid device index", lambda: torch.zeros(1, device=f"{NAME}:1"))
    assert torch.zeros(1).to(0).device.type == NAME
    assert torch.float32 in torch.accelerator.get_device_capability()["supported_dtypes"]


def tensors_stay_on_it():
    host = torch.arange(12.0).view(3, 4)
    x = host.to(NAME)
    for made in (x.t() @ x, x[1:, ::2] * 2, x.mean(0), x.view(2, 6).transpose(0, 1).reshape(-1), torch.cat([x, x]), x.unfold(1, 2, 1),
                 torch.rand(3, device=NAME), torch.arange(3, device=NAME), torch.tril_indices(2, 2, device=NAME), x.clone().resize_(2, 2)):
        assert made.device.type == NAME
    same(x[x > 3].sum(), host[host > 3].sum())
    same(torch.fft.rfft(x).abs(), torch.fft.rfft(host).abs())
    z, w = torch.view_as_complex(x.view(6, 2)), torch.view_as_complex(host.view(6, 2))
    same(torch.view_as_real(z), host.view(6, 2))
    same(z.conj() * 2, w.conj() * 2)
    assert x.is_neuron and x.neuron().device.type == NAME and x.type() == "torch.neuron.FloatTensor"
    x[0] = 5.0
    x.index_put_((torch.tensor([1]),), torch.tensor(7.0, device=NAME))
    assert x[0, 0].item() == 5.0 and x[1, 2].item() == 7.0
    assert str(x).endswith(f"device='{NAME}:0')") and x.tolist()[0] == [5.0] * 4 and x.cpu().numpy().shape == (3, 4)


def devices_do_not_mix():
    x, host = torch.ones(3, device=NAME), torch.ones(3)
    words = "Expected all tensors to be on the same device"
    raises(RuntimeError, words, lambda: x + host)
    raises(RuntimeError, words, lambda: torch.cat([x, host]))
    raises(RuntimeError, words, lambda: nn.functional.linear(x, torch.ones(2, 3)))
    same(x + torch.tensor(1.0), host + 1)
    raises(TypeError, "can't convert", lambda: x.numpy())


def it_trains():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv1d(1, 4, 3), nn.BatchNorm1d(4), nn.ReLU(), nn.Flatten(), nn.Dropout(0.1), nn.Linear(4 * 6, 2)).to(NAME)
    x, y = torch.randn(16, 1, 8).to(NAME), torch.randint(0, 2, (16,)).to(NAME)
    for optimizer in (torch.optim.AdamW(net.parameters(), 0.01), torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)):
        losses = []
        for _ in range(8):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        assert losses[-1] < losses[0], losses


def attention_and_recurrence():
    torch.manual_seed(0)
    for net, x in ((nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.randn(2, 5, 8)), (nn.LSTM(8, 4, batch_first=True), torch.randn(2, 5, 8)), (nn.GRU(8, 4), torch.randn(5, 2, 8)),
                   (nn.RNN(8, 4, bias=False), torch.randn(5, 2, 8))):
        net.eval()
        outs, grads = [], []
        for device in ("cpu", NAME):
            net.to(device).zero_grad()
            out = net(x.to(device))
            out = out[0] if isinstance(out, tuple) else out
            out.square().sum().backward()
            outs.append(out.detach())
            grads.append([p.grad.clone() for p in net.parameters()])
        same(*outs)
        for a, b in zip(*grads):
            same(a, b)
    q = torch.randn(1, 2, 5, 8)
    same(nn.functional.scaled_dot_product_attention(*[q.to(NAME)] * 3, is_causal=True), nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True))
    packed = nn.utils.rnn.pack_padded_sequence(torch.randn(2, 5, 8).to(NAME), torch.tensor([5, 3]), batch_first=True)
    assert packed.data.device.type == NAME and packed.is_neuron


def convolutions():
    torch.manual_seed(0)
    for make, shape in ((lambda: nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), (2, 4, 7, 7)), (lambda: nn.ConvTranspose1d(4, 2, 3, bias=False), (2, 4, 5))):
        net, x = make(), torch.randn(shape)
        grads = []
        for device in ("cpu", NAME):
            net.to(device).zero_grad()
            y = x.to(device, copy=True).requires_grad_()
            net(y).square().sum().backward()
            grads.append([y.grad, *(p.grad.clone() for p in net.parameters())])
        for a, b in zip(*grads):
            same(a, b)


def autocast_and_scaler():
    net, x = nn.Linear(4, 1).to(NAME), torch.ones(2, 4, device=NAME)
    assert torch.get_autocast_dtype(NAME) == torch.bfloat16
    for dtype in (torch.bfloat16, torch.float16):
        with torch.autocast(NAME, dtype=dtype):
            out = net(x)
            assert out.dtype == dtype and nn.functional.mse_loss(out, torch.zeros(2, 1, device=NAME)).dtype == torch.float32
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scaler = torch.amp.GradScaler(NAME)
    assert scaler.is_enabled()
    before = net.weight.detach().clone()
    scaler.scale(net(x).sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert (net.weight != before).all()
    net.weight.grad.fill_(float("inf"))
    before, scale = net.weight.detach().clone(), scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    same(net.weight, before)
    assert scaler.get_scale() == scale / 2


def memory():
    assert torch.accelerator.get_memory_info()[1] == 16 << 30
    torch.accelerator.empty_cache()
    start = torch.accelerator.memory_allocated()
    x = torch.empty(1 << 20, device=NAME)
    assert torch.accelerator.memory_allocated() - start == 4 << 20 == torch.neuron.memory_allocated() - start
    del x
    assert torch.accelerator.memory_allocated() == start and torch.accelerator.max_memory_allocated() >= start + (4 << 20)
    reserved = torch.accelerator.memory_reserved()
    torch.accelerator.empty_cache()
    assert torch.accelerator.memory_reserved() <= reserved - (4 << 20)
    torch.accelerator.reset_peak_memory_stats()
    assert torch.accelerator.max_memory_allocated() == start
    torch.accelerator.reset_accumulated_memory_stats()
    raises(torch.OutOfMemoryError, "out of memory", lambda: torch.empty(17 << 30, dtype=torch.int8, device=NAME))
    assert torch.accelerator.memory_stats()["num_ooms"] == 1


def streams_and_events():
    torch.accelerator.synchronize()
    default = torch.accelerator.current_stream()
    side = torch.Stream(NAME)
    assert default.device.type == NAME and side != default
    with side:
        assert torch.accelerator.current_stream() == side
    side.wait_stream(default)
    side.synchronize()
    x = torch.ones(1, device=NAME)
    x.record_stream(side)
    torch.accelerator.set_stream(side)
    assert torch.accelerator.current_stream() == side
    torch.accelerator.set_stream(default)
    for module in (torch, torch.neuron):
        begin, end = module.Event(enable_timing=True), module.Event(enable_timing=True)
        begin.record()
        end.record()
        end.synchronize()
        assert end.query() and begin.elapsed_time(end) >= 0
    with torch.neuron.stream(torch.neuron.Stream()):
        assert torch.neuron.current_stream() != torch.neuron.default_stream()
    assert torch.neuron.current_stream() == torch.neuron.default_stream()


def random_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.manual_seed(3)
    first = torch.rand(4, device=NAME)
    torch.rand(4)
    torch.neuron.manual_seed_all(3)
    same(torch.rand(4, device=NAME), first)
    assert torch.neuron.initial_seed() == 3
    state = torch.neuron.get_rng_state()
    second = torch.randn(4, device=NAME)
    torch.neuron.set_rng_state(state)
    same(torch.randn(4, device=NAME), second)
    with torch.random.fork_rng(device_type=NAME):
        torch.rand(4, device=NAME)
    own = torch.Generator(device=NAME).manual_seed(5)
    assert own.device.type == NAME
    same(torch.rand(4, device=NAME, generator=own), torch.rand(4, device=NAME, generator=own.manual_seed(5)))
    assert own.clone_state().initial_seed() == 5 and torch.randperm(4, device=NAME, generator=own).device.type == NAME
    same(nn.init.normal_(torch.empty(3, device=NAME), generator=own.manual_seed(1)), nn.init.normal_(torch.empty(3, device=NAME), generator=own.manual_seed(1)))


def save_and_load():
    def through(what, **kwargs):
        file = io.BytesIO()
        torch.save(what, file)
        file.seek(0)
        return torch.load(file, **kwargs)

    x = torch.arange(4.0)
    for location in (NAME, f"{NAME}:0", torch.device(NAME), {"cpu": NAME}):
        assert through({"w": x}, map_location=location)["w"].device.type == NAME
    back = through({"w": x.to(NAME)})["w"]
    assert back.device.type == NAME
    same(back, x)
    assert through(x.to(NAME), map_location="cpu").device.type == "cpu"
    net = nn.Linear(2, 2).to(NAME)
    net.load_state_dict(through(net.state_dict(), map_location=NAME))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(1, 2, device=NAME)).sum().backward()
    optimizer.step()
    optimizer.load_state_dict(through(optimizer.state_dict(), map_location=NAME))
    import copy
    import pickle
    same(pickle.loads(pickle.dumps(x.to(NAME))), x)
    same(copy.deepcopy(net).weight, net.weight)


def pinned_memory_and_loaders():
    x = torch.ones(3).pin_memory()
    assert x.is_pinned() and x[1:].is_pinned() and not torch.ones(3).is_pinned()
    same(x.to(NAME, non_blocking=True), torch.ones(3))
    from torch.utils.data import DataLoader, TensorDataset
    data = TensorDataset(torch.arange(8.0))
    for workers in (0, 2):
        for (batch,) in DataLoader(data, batch_size=4, pin_memory=True, num_workers=workers):
            assert batch.is_pinned() and batch.to(NAME).device.type == NAME


def defaults_and_modes():
    torch.set_default_device(NAME)
    try:
        assert torch.ones(2).device.type == NAME and nn.Linear(2, 2).weight.device.type == NAME
    finally:
        torch.set_default_device(None)
    with torch.device(NAME):
        assert torch.zeros(1).device.type == NAME
    compiled = torch.compile(nn.Linear(3, 2).to(NAME), backend="aot_eager")
    compiled(torch.ones(1, 3, device=NAME)).sum().backward()
    same(torch.func.vmap(torch.dot)(torch.ones(2, 3, device=NAME), torch.ones(2, 3, device=NAME)), torch.tensor([3.0, 3.0]))
    same(torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(2, device=NAME, requires_grad=True), use_reentrant=False), torch.sin(torch.ones(2)))


def distributed():
    import torch.distributed as dist
    dist.init_process_group(dist.get_default_backend_for_device(torch.device(NAME)), store=dist.HashStore(), rank=0, world_size=1)
    x = torch.ones(3, device=NAME)
    dist.all_reduce(x)
    parts = [torch.empty(3, device=NAME)]
    dist.all_gather(parts, x)
    dist.broadcast(x, 0)
    dist.barrier()
    same(parts[0], torch.ones(3))
    net = nn.parallel.DistributedDataParallel(nn.Linear(3, 1).to(NAME), device_ids=[0])
    net(x).sum().backward()
    assert net.module.weight.grad.device.type == NAME
    dist.destroy_process_group()


def a_fork_keeps_it():
    child = os.fork()
    if child == 0:
        good = torch.ones(2, device=NAME).sum().item() == 2.0
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


def launcher():
    import tempfile

    from support import call, python
    with tempfile.TemporaryDirectory() as tmp:
        script = pathlib.Path(tmp) / "program.py"
        script.write_text("import sys, torch\nimport beside\nprint(sys.argv, __name__, torch.ones(1).to(0).device)\nsys.exit(len(sys.argv))\n")
        (script.parent / "beside.py").write_text("")
        run = python(script, "--target", "x", on="tpu")
        assert run.returncode == 3 and run.stdout == f"['{script}', '--target', 'x'] __main__ tpu:0\n", run
        run = call([sys.executable, REPO / "opdb/simulator/run.py", "-m", "program"], cwd=tmp)
        assert run.returncode == 1 and "__main__ simx:0" in run.stdout, run
        script.write_text("raise ValueError('of the program')\n")
        run = python(script, on="tpu")
        assert run.returncode == 1 and "of the program" in run.stderr and "run.py" not in run.stderr, run
        for target, path in (("xpu", script), ("a b", script), ("cuda", script), ("tpu", script.parent / "missing.py")):
            run = python(path, on=target)
            assert run.returncode == 2 and run.stderr.startswith("torchport: ") and "Traceback" not in run.stderr, (target, run)


CHECKS = [is_the_accelerator, tensors_stay_on_it, devices_do_not_mix, it_trains, attention_and_recurrence, convolutions, autocast_and_scaler, memory,
          streams_and_events, random_numbers, save_and_load, pinned_memory_and_loaders, defaults_and_modes, distributed, a_fork_keeps_it, launcher]


def main():
    torch.set_num_threads(1)
    torchport_simulator.install(NAME)
    failed = 0
    for check in CHECKS:
        try:
            check()
            print(f"ok   {check.__name__}")
        except Exception:
            failed += 1
            print(f"FAIL {check.__name__}")
            traceback.print_exc(file=sys.stdout)
    print(f"{len(CHECKS) - failed} passed, {failed} failed", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
