"""Tiny ONNX text classifiers with their tokenizers, as an exporter writes them.

The logits of a text are the sum of its words' weights; unknown words weigh nothing.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper, save_model
from onnx.helper import make_node, make_tensor_value_info
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

WORDS = {
    "[UNK]": (0, 0, 0),
    "bad": (4, 0, 0),
    "blue": (0, 3, 0),
    "good": (0, 0, 2),
    "awful": (5, 0, 0),
}
"""Weights of a word for negative, neutral and positive."""

LABELS = {
    "name": "tiny",
    "labels": ["negative", "neutral", "positive"],
    "languages": ["en", "es", "zxx"],
}
IR_VERSION, OPSET = 10, 17


def make_model(
    folder: Path,
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    work: int = 0,
    known_words: int | None = None,
    batch: str | int = "n",
) -> Path:
    """Write model, tokenizer and labels into `folder`; return it.

    `work` is the side of matrices that it multiplies as ballast. `known_words` cuts the model's
    vocabulary, so that later words fail. `batch` is the batch size; a name allows any.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder, {word: index for index, word in enumerate(WORDS)})
    worth = np.array(list(WORDS.values()), dtype=np.float32)[:known_words]
    ids_input, *others = inputs
    nodes = [
        make_node("Gather", ["worth", ids_input], ["each"]),
        make_node("ReduceSum", ["each", "places"], ["sum"], keepdims=0),
        *_work(ids_input),
        make_node("Add", ["sum", "nothing"], ["logits"]),
    ]
    constants: dict[str, NDArray[Any]] = {
        "worth": worth,
        "places": np.array([1], dtype=np.int64),
        "side": np.array([max(work, 1)] * 2, dtype=np.int64),
        "zero": np.array(0, dtype=np.float32),
    }
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            make_tensor_value_info(each, TensorProto.INT64, [batch, "t"])
            for each in (ids_input, *others)
        ],
        [make_tensor_value_info("logits", TensorProto.FLOAT, [batch, 3])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)
    save_model(model, str(folder / "model.onnx"))
    write_labels(folder, LABELS)
    return folder


def write_tokenizer(folder: Path, ids: Mapping[str, int]) -> None:
    """Write `tokenizer.json`. Without an id for "[UNK]", unknown words fail."""
    tokenizer = Tokenizer(WordLevel(dict(ids), unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


def write_labels(folder: Path, labels: object) -> None:
    (folder / "labels.json").write_text(json.dumps(labels), encoding="utf-8")


def _work(of: str) -> list[NodeProto]:
    """Return nodes that multiply two matrices and output "nothing", a zero."""
    return [
        make_node("Cast", [of], ["number"], to=TensorProto.FLOAT),
        make_node("ReduceMax", ["number"], ["largest"], keepdims=0),
        make_node("Expand", ["largest", "side"], ["matrix"]),
        make_node("MatMul", ["matrix", "matrix"], ["product"]),
        make_node("ReduceMax", ["product"], ["product_max"], keepdims=0),
        make_node("Mul", ["product_max", "zero"], ["nothing"]),
    ]
