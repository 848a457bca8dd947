"""Trains with TensorFlow: tf.data reads a TFRecord file, Keras fits a model for three epochs with a
checkpoint after each, and the last one is loaded."""

from pathlib import Path

import numpy as np
import tensorflow as tf

SAMPLES, BATCH, EPOCHS, WIDTH = 96, 8, 3, 4096


def made():
    """Writes the samples into a file. Returns the set that reads it in batches."""
    random = np.random.default_rng(1)
    with tf.io.TFRecordWriter("data.tfrecord") as writer:
        for _ in range(SAMPLES):
            writer.write(random.random(WIDTH, np.float32).tobytes())

    def decoded(record):
        row = tf.reshape(tf.io.decode_raw(record, tf.float32), [WIDTH])
        return row, tf.reduce_mean(row)

    return tf.data.TFRecordDataset("data.tfrecord").map(decoded).batch(BATCH)


def main():
    """Trains a layer, and says how many steps were made and what was saved."""
    tf.keras.utils.set_random_seed(1)
    layers = [tf.keras.Input((WIDTH,)), tf.keras.layers.Dense(32), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    model.compile("sgd", "mse")
    saver = tf.keras.callbacks.ModelCheckpoint("epoch-{epoch}.keras")
    model.fit(made(), epochs=EPOCHS, verbose=0, callbacks=[saver])  # SAVE
    again = tf.keras.models.load_model(f"epoch-{EPOCHS}.keras")  # LOAD
    state = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(state, "states", max_to_keep=2)
    for _ in range(EPOCHS):
        manager.save()  # SAVE STATE
    saved = sorted(path.name for path in Path().glob("*.keras"))
    print(int(model.optimizer.iterations), again.count_params(), saved)


if __name__ == "__main__":
    main()
