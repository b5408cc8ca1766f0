"""Windows of vibration: sound bearings hum, worn ones knock at the rate of their fault."""
import math

import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

CLASSES = ("sound", "inner race", "outer race")
KNOCKS_PER_WINDOW = (0, 9, 5)


def make_windows(kind, count, length, generator):
    time = torch.linspace(0, 1, length).expand(count, length)
    phase = 2 * math.pi * torch.rand(count, 1, generator=generator)
    hum = torch.sin(2 * math.pi * 3 * time + phase)
    knocks = torch.sin(2 * math.pi * KNOCKS_PER_WINDOW[kind] * time + phase).clamp(min=0) ** 4
    noise = 0.3 * torch.randn(count, length, generator=generator)
    return hum + 2 * knocks + noise


def make_dataset(config):
    generator = torch.Generator().manual_seed(config["seed"])
    windows = [make_windows(kind, config["windows_per_class"], config["window"], generator) for kind in range(len(CLASSES))]
    labels = torch.arange(len(CLASSES)).repeat_interleave(config["windows_per_class"])
    return random_split(TensorDataset(torch.cat(windows).unsqueeze(1), labels), [0.75, 0.25], generator=generator)


def make_loaders(config, sampler_for=None):
    train_set, test_set = make_dataset(config)
    sampler = sampler_for(train_set) if sampler_for else None
    train = DataLoader(train_set, batch_size=config["batch_size"], shuffle=sampler is None, sampler=sampler, pin_memory=True)
    test = DataLoader(test_set, batch_size=config["batch_size"], pin_memory=True)
    return train, test
