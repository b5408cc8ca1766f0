"""Trains the bearing classifier on one GPU.  python train.py [--epochs 8] [--resume bearings.pt]"""
import argparse
import random
import time

import numpy as np
import torch
import yaml
from torch import nn
from torch.cuda.amp import GradScaler, autocast

from data import CLASSES, make_loaders
from model import BearingNet


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", default="config.yaml")
    parser.add_argument("--device", default="cuda", help="device to train on")
    parser.add_argument("--epochs", type=int, help="instead of the number in the config")
    parser.add_argument("--resume", metavar="FILE", help="go on from this checkpoint")
    return parser.parse_args()


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


def train_epoch(model, loader, criterion, optimizer, scaler, device, amp):
    model.train()
    total = 0.0
    torch.cuda.synchronize()
    start = time.perf_counter()
    for windows, labels in loader:
        windows = windows.cuda(non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        with autocast(enabled=amp):
            loss = criterion(model(windows), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        total += loss.item() * len(labels)
    torch.cuda.synchronize()
    return total / len(loader.dataset), time.perf_counter() - start


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    confusion = torch.cuda.LongTensor(len(CLASSES), len(CLASSES)).zero_()
    for windows, labels in loader:
        guesses = model(windows.cuda()).argmax(1)
        seen = torch.ones(len(labels), dtype=torch.long, device="cuda")
        confusion.index_put_((labels.cuda(), guesses), seen, accumulate=True)
    return (confusion.diag().sum().type(torch.cuda.FloatTensor) / confusion.sum()).item()


def save_checkpoint(path, model, optimizer, epoch):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path)


def load_checkpoint(path, model, optimizer):
    state = torch.load(path, map_location="cuda:0")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"]


def main():
    args = parse_args()
    with open(args.config) as file:
        config = yaml.safe_load(file)
    seed_everything(config["seed"])
    device = torch.device(args.device)
    print(f"{torch.cuda.device_count()} GPU(s), training on {device}")

    train_loader, test_loader = make_loaders(config)
    model = BearingNet(config["window"], config["channels"], len(CLASSES)).to(device)
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 1.5, 1.5]).cuda())
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["learning_rate"])
    scaler = GradScaler(enabled=config["amp"])

    first = load_checkpoint(args.resume, model, optimizer) if args.resume else 0
    losses = []
    for epoch in range(first, first + (args.epochs or config["epochs"])):
        loss, seconds = train_epoch(model, train_loader, criterion, optimizer, scaler, device, config["amp"])
        losses.append(loss)
        print(f"epoch {epoch + 1}: loss {loss:.4f}, accuracy {evaluate(model, test_loader):.2f}, {seconds:.2f} s")
        save_checkpoint(config["checkpoint"], model, optimizer, epoch + 1)
    torch.cuda.empty_cache()
    peak = torch.cuda.max_memory_allocated() / 2**20
    print(f"peak memory {peak:.1f} MiB")
    print(f"RESULT first {losses[0]:.4f} last {losses[-1]:.4f} accuracy {evaluate(model, test_loader):.2f} device {next(model.parameters()).device.type}")


if __name__ == "__main__":
    main()
