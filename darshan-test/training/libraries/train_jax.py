"""Trains with JAX: grain reads one array file for each sample, and orbax saves a checkpoint after
each of three epochs and restores the last one."""

from pathlib import Path

import grain.python as grain
import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp

SAMPLES, BATCH, EPOCHS, WIDTH = 96, 8, 3, 4096


class Arrays:
    """Samples, each of which is a file of an array."""

    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, number):
        return np.load(self.names[number])  # READ


def loss(weights, rows):
    """Returns the squared distance of a layer's results from the means of the rows."""
    return jnp.mean((rows @ weights["body"] @ weights["head"] - rows.mean(1)) ** 2)


def main():
    """Writes the samples, trains, and says how many steps were made and what was saved."""
    random = np.random.default_rng(1)
    data = Path("data")
    data.mkdir()
    for number in range(SAMPLES):
        np.save(data / f"{number:03}.npy", random.random(WIDTH, np.float32))
    names = sorted(data.glob("*.npy"))
    weights = {
        "body": jnp.asarray(random.random((WIDTH, 32), np.float32)) / WIDTH,
        "head": jnp.ones(32) / 32,
    }
    gradient = jax.jit(jax.grad(loss))
    steps = 0
    options = ocp.CheckpointManagerOptions(enable_async_checkpointing=False)
    with ocp.CheckpointManager(Path("saved").resolve(), options=options) as manager:
        for epoch in range(EPOCHS):
            samples = grain.MapDataset.source(Arrays(names)).shuffle(seed=epoch).batch(BATCH)
            for rows in samples:
                slope = gradient(weights, jnp.asarray(rows))
                weights = jax.tree.map(lambda one, by: one - 1e-4 * by, weights, slope)
                steps += 1
            manager.save(epoch, args=ocp.args.StandardSave(weights))  # SAVE
        again = manager.restore(EPOCHS - 1, args=ocp.args.StandardRestore(weights))  # LOAD
    same = all(bool((again[name] == weights[name]).all()) for name in weights)
    print(steps, same, sorted(path.name for path in Path("saved").iterdir()))


if __name__ == "__main__":
    main()
