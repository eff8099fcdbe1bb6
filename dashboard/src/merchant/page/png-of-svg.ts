/** Converts an SVG picture to PNG in the browser, for programs and print shops that need PNG. */

async function imageOf(svg: Blob): Promise<HTMLImageElement> {
  const address = URL.createObjectURL(svg)
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    return image
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** About `width` pixels wide, and on white. */
export async function pngOfSvg(svg: Blob, width: number): Promise<Blob> {
  const image = await imageOf(svg)
  const viewBox = /viewBox="0 0 (\d+) (\d+)"/.exec(await svg.text())
  const [columns, rows] = viewBox ? [Number(viewBox[1]), Number(viewBox[2])] : [image.width, image.height]
  // Each module of the code covers whole pixels, so that none is blurred.
  const scale = Math.max(1, Math.round(width / columns))
  const canvas = document.createElement('canvas')
  canvas.width = columns * scale
  canvas.height = rows * scale
  const pen = canvas.getContext('2d')!
  pen.fillStyle = '#fff'
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((png) => (png ? resolve(png) : reject(new Error('The browser has drawn no picture.'))), 'image/png')
  })
}
