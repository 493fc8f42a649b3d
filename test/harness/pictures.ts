import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

const FOLDER = join(import.meta.dirname, '../fixtures/pictures')

/** `POSTWREN_PICTURES=take` takes them anew. */
const isTaking = process.env.POSTWREN_PICTURES === 'take'

/** Of all pixels. Letters are drawn a little differently by each version of a browser; a part that has moved is more than this. */
const MAX_DIFFERENT = 0.02
/** Of one pixel: colours of which a person would say that they are the same. */
const THRESHOLD = 0.25

/** Compares a picture with the one that is kept, and says what is wrong with it; null: nothing. A picture that is wrong is put beside the kept one. */
export function differenceOf(name: string, picture: Buffer): string | null {
  const kept = join(FOLDER, `${name}.png`)
  if (isTaking) {
    mkdirSync(dirname(kept), { recursive: true })
    writeFileSync(kept, PNG.sync.write(PNG.sync.read(picture), { deflateLevel: 9, colorType: 2 }))
    return null
  }
  if (!existsSync(kept)) return `${name}: no picture is kept`
  const [was, is] = [PNG.sync.read(readFileSync(kept)), PNG.sync.read(picture)]
  const { width, height } = was
  if (is.width !== width || is.height !== height)
    return `${name}: ${is.width}×${is.height} instead of ${width}×${height}`
  const different = pixelmatch(was.data, is.data, undefined, width, height, { threshold: THRESHOLD }) / (width * height)
  if (different <= MAX_DIFFERENT) return null
  writeFileSync(join(FOLDER, `${name}.new.png`), picture)
  return `${name}: ${(different * 100).toFixed(1)} % of the pixels are different`
}
