"""Trains on several GPUs, one process each.  torchrun --nproc-per-node 4 launch_ddp.py"""
import os

import torch
import torch.distributed as dist
import yaml
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data.distributed import DistributedSampler

from data import CLASSES, make_loaders
from model import BearingNet


def setup():
    rank = int(os.environ.get("RANK", "0"))
    world_size = int(os.environ.get("WORLD_SIZE", "1"))
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29517")
    dist.init_process_group(backend="nccl", rank=rank, world_size=world_size)
    torch.cuda.set_device(local_rank)
    return rank, local_rank


def main():
    rank, local_rank = setup()
    with open("config.yaml") as file:
        config = yaml.safe_load(file)
    torch.manual_seed(config["seed"] + rank)
    loader, _ = make_loaders(config, sampler_for=DistributedSampler)
    model = BearingNet(config["window"], config["channels"], len(CLASSES)).cuda(local_rank)
    model = DDP(model, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["learning_rate"])
    losses = []
    for epoch in range(config["epochs"]):
        loader.sampler.set_epoch(epoch)
        for windows, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(windows.cuda(local_rank)), labels.cuda(local_rank))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    if rank == 0:
        print(f"RESULT first {losses[0]:.4f} last {losses[-1]:.4f} processes {dist.get_world_size()}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
