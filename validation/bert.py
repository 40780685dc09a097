"""BERT-base inference (Yang 2024, Table II: MLPerf, Bert; batch and length are ours).

An iteration is one forward pass of transformers' BertModel with its default configuration on 64
sequences of 384 tokens (MLPerf's length) in single precision, weights and tokens random. Some 5 GB.
"""

import workload

BATCH = 64
LENGTH = 384


def make():
    import torch
    import transformers

    config = transformers.BertConfig()
    model = transformers.BertModel(config).eval()
    tokens = torch.randint(1, config.vocab_size, (BATCH, LENGTH))  # 0 is padding
    return lambda: model(input_ids=tokens).last_hidden_state


if __name__ == "__main__":
    workload.serve("bert", __doc__, lambda: workload.inference(make))
