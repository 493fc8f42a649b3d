export type Rgb = readonly [red: number, green: number, blue: number]

const NAMED: Readonly<Record<string, Rgb>> = {
  ...{ black: [0, 0, 0], white: [255, 255, 255], red: [255, 0, 0], green: [0, 128, 0], blue: [0, 0, 255] },
  ...{ yellow: [255, 255, 0], orange: [255, 165, 0], purple: [128, 0, 128], gray: [128, 128, 128] },
  ...{ grey: [128, 128, 128], silver: [192, 192, 192], lightgray: [211, 211, 211], lightgrey: [211, 211, 211] },
  ...{ darkgray: [169, 169, 169], darkgrey: [169, 169, 169], dimgray: [105, 105, 105], dimgrey: [105, 105, 105] },
  ...{ whitesmoke: [245, 245, 245], navy: [0, 0, 128], maroon: [128, 0, 0], teal: [0, 128, 128] },
  ...{ darkslategray: [47, 79, 79], darkslategrey: [47, 79, 79], midnightblue: [25, 25, 112], darkgreen: [0, 100, 0] },
  ...{ aqua: [0, 255, 255], lime: [0, 255, 0], fuchsia: [255, 0, 255], olive: [128, 128, 0] },
}

/** A color as it is written in CSS or in an attribute; null when it is none that is certain, or lets something shine through. */
export function rgbOf(written: string, { allowsAlpha = false } = {}): Rgb | null {
  const color = written
    .slice(0, 60)
    .trim()
    .toLowerCase()
    .replace(/\s*!important$/, '')
  const named = Object.hasOwn(NAMED, color) ? NAMED[color] : undefined
  if (named) return named
  const hex = /^#?(?:([\da-f])([\da-f])([\da-f])([\da-f])?|([\da-f]{2})([\da-f]{2})([\da-f]{2})([\da-f]{2})?)$/.exec(
    color,
  )
  if (hex) {
    const [, r, g, b, a, red, green, blue, alpha] = hex
    if (!allowsAlpha && !/^f*$/.test(a ?? alpha ?? '')) return null
    const digits = r ? [r + r, g! + g, b! + b] : [red!, green!, blue!]
    return digits.map((part) => Number.parseInt(part, 16)) as unknown as Rgb
  }
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*([\d.]+%?)\s*)?\)$/.exec(color)
  if (!rgb || (!allowsAlpha && rgb[4] !== undefined && !/^(?:1(?:\.0+)?|100%)$/.test(rgb[4]))) return null
  return [Number(rgb[1]), Number(rgb[2]), Number(rgb[3])]
}

/** How much two colors stand out from each other, from 1 to 21 (WCAG 2). */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = Math.min(part, 255) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
