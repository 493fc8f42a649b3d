// How well text can be read on a colour (WCAG 2.2, 1.4.3).

const MIN_CONTRAST = 4.5

/** White or black, whichever can be read on the colour `#rrggbb`. Black has 4.67:1 at least where white has less than 4.5. */
export const textColorOn = (color: string): '#ffffff' | '#000000' =>
  contrast(color, '#ffffff') >= MIN_CONTRAST ? '#ffffff' : '#000000'

/** From 1, none, to 21, black on white. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(color.slice(at, at + 2), 16) / 255),
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const linear = (channel: number) => (channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)
