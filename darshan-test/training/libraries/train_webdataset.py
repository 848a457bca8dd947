"""Trains from tar shards with webdataset: two epochs by two workers, with a checkpoint after
each."""

import numpy as np
import torch
import webdataset as wds

SHARDS, SAMPLES, BATCH, EPOCHS = 4, 32, 8, 2


def made():
    """Writes the shards. Returns their names."""
    random = np.random.default_rng(1)
    names = [f"shard-{number}.tar" for number in range(SHARDS)]
    for name in names:
        with wds.TarWriter(name) as writer:
            for number in range(SAMPLES):
                row = random.random(4096, np.float32)
                writer.write({"__key__": f"{number:03}", "row.npy": row, "label.cls": number % 2})
    return names


def main():
    """Trains a layer, and says how many steps were made."""
    torch.manual_seed(1)
    rows = wds.WebDataset(made(), shardshuffle=False).decode().to_tuple("row.npy", "label.cls")
    loader = wds.WebLoader(rows.batched(BATCH), batch_size=None, num_workers=2)
    model = torch.nn.Sequential(torch.nn.Linear(4096, 10), torch.nn.Linear(10, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    steps = 0
    for epoch in range(EPOCHS):
        for batch, labels in loader:  # LOOP
            guess = model(torch.as_tensor(batch))
            loss = torch.nn.functional.cross_entropy(guess, torch.as_tensor(labels))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps += 1
        torch.save(model.state_dict(), f"epoch-{epoch}.pt")  # SAVE
    print(steps)


if __name__ == "__main__":
    main()
