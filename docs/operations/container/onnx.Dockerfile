# The image with what runs a sentiment model of one's own (TRACKER_SENTIMENT_MODEL), made from the image of Dockerfile:
# `docker build -f docs/operations/container/onnx.Dockerfile -t creator-tracker-onnx .` in the root of a checkout.

FROM creator-tracker:2.0.0
USER root
COPY requirements-dev.txt /app/
# The extra `onnx` as it is pinned; all else that it needs is in the image.
RUN sed -n '/^\(flatbuffers\|hf-xet\|huggingface-hub\|onnxruntime\|tokenizers\)==/,/[^\\]$/p' /app/requirements-dev.txt > /app/onnx.txt \
    && python -m pip install --no-cache-dir --no-deps --require-hashes -r /app/onnx.txt \
    && rm /app/onnx.txt /app/requirements-dev.txt
USER 10001:10001
