"""Trains with the Trainer of transformers: three epochs over a set that datasets saved, by two
workers, with a checkpoint after each epoch, and loads the last one."""

from pathlib import Path

import torch
from datasets import Dataset, load_from_disk
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PrinterCallback,
    Trainer,
    TrainingArguments,
)

SAMPLES, BATCH, EPOCHS, WORDS = 96, 8, 3, 512


def made():
    """Saves a set of samples of random words in four files. Returns it as it is mapped."""
    generator = torch.Generator().manual_seed(1)
    words = torch.randint(0, 1000, (SAMPLES, WORDS), generator=generator)
    rows = {"input_ids": words.tolist(), "labels": [number % 2 for number in range(SAMPLES)]}
    Dataset.from_dict(rows).save_to_disk("data", num_shards=4)
    return load_from_disk("data").with_format("torch")


def main():
    """Trains a small BERT, and says how many steps were made and what was saved."""
    torch.manual_seed(1)
    small = BertConfig(
        vocab_size=1000,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
    )
    arguments = TrainingArguments(
        "saved",
        num_train_epochs=EPOCHS,
        per_device_train_batch_size=BATCH,
        dataloader_num_workers=2,
        save_strategy="epoch",
        save_total_limit=2,
        report_to="none",
        logging_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(BertForSequenceClassification(small), arguments, train_dataset=made())
    trainer.remove_callback(PrinterCallback)  # it prints times
    trainer.train()  # LOOP, SAVE
    last = Path("saved") / f"checkpoint-{trainer.state.global_step}"
    model = BertForSequenceClassification.from_pretrained(last)  # LOAD
    saved = sorted(path.name for path in Path("saved").iterdir())
    print(trainer.state.global_step, sum(one.numel() for one in model.parameters()), saved)


if __name__ == "__main__":
    main()
