(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let blue = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] < 100 && data[at + 2] > 180 && data[at + 3] > 200) blue++;
  }
  return blue;
}
