"""Trains with Lightning: three epochs over one array file for each sample, by two workers, with a
validation and a checkpoint after each epoch."""

from pathlib import Path

import lightning
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

SAMPLES, BATCH, EPOCHS = 96, 8, 3


class Arrays(Dataset):
    """Samples, each of which is a file of an array."""

    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, number):
        row = torch.from_numpy(np.load(self.names[number]))
        return row, row.mean()


class Model(lightning.LightningModule):
    """A layer of 160 kB that learns the mean of a sample."""

    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(4096, 10), torch.nn.Linear(10, 1))

    def training_step(self, batch, _number):
        rows, means = batch
        return torch.nn.functional.mse_loss(self.body(rows).squeeze(1), means)

    def validation_step(self, batch, number):
        self.training_step(batch, number)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-4)


def main():
    """Writes the samples, trains, and says how many steps were made and what was saved."""
    lightning.seed_everything(1, verbose=False)
    data = Path("data")
    data.mkdir()
    for number in range(SAMPLES):
        np.save(data / f"{number:03}.npy", np.random.rand(4096).astype(np.float32))
    names = sorted(data.glob("*.npy"))
    loaders = [
        DataLoader(Arrays(part), batch_size=BATCH, num_workers=2)
        for part in (names[: SAMPLES * 3 // 4], names[SAMPLES * 3 // 4 :])
    ]
    saver = lightning.pytorch.callbacks.ModelCheckpoint("saved", save_top_k=-1)
    trainer = lightning.Trainer(
        max_epochs=EPOCHS,
        accelerator="cpu",
        logger=False,
        callbacks=[saver],
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Model(), *loaders)  # LOOP, SAVE
    print(trainer.global_step, sorted(path.name for path in Path("saved").iterdir()))


if __name__ == "__main__":
    main()
