import { type IMAGE_TYPES, MAX_IMAGE_BYTES } from './limits.ts'

type ImageType = (typeof IMAGE_TYPES)[number]

export interface ImageFile {
  readonly contentType: ImageType
  readonly width: number | null
  readonly height: number | null
}

/** The image type by magic bytes, not by file name. Null: not an image that every mail client shows. SVG can hold scripts and is refused. */
export function readImage(file: Buffer): ImageFile | null {
  if (file.length > MAX_IMAGE_BYTES) return null
  const starts = (bytes: string, at = 0) => file.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1'))
  if (starts('\x89PNG\r\n\x1a\n') && starts('IHDR', 12) && file.length >= 33)
    return { contentType: 'image/png', ...sizeOf(file.readUInt32BE(16), file.readUInt32BE(20)) }
  if ((starts('GIF87a') || starts('GIF89a')) && file.length >= 13)
    return { contentType: 'image/gif', ...sizeOf(file.readUInt16LE(6), file.readUInt16LE(8)) }
  if (starts('\xff\xd8\xff')) return { contentType: 'image/jpeg', ...sizeOfJpeg(file) }
  if (starts('RIFF') && starts('WEBP', 8) && file.length >= 30)
    return { contentType: 'image/webp', ...sizeOfWebp(file) }
  return null
}

interface Size {
  readonly width: number | null
  readonly height: number | null
}

const UNKNOWN: Size = { width: null, height: null }
const MAX_SIDE = 65_535

const sizeOf = (width: number, height: number): Size =>
  width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE ? { width, height } : UNKNOWN

/** In the first frame header: the segments before it say how long they are. */
function sizeOfJpeg(file: Buffer): Size {
  for (let at = 2; at + 9 < file.length && file[at] === 0xff; at += 2 + file.readUInt16BE(at + 2)) {
    const marker = file[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return sizeOf(file.readUInt16BE(at + 7), file.readUInt16BE(at + 5))
  }
  return UNKNOWN
}

function sizeOfWebp(file: Buffer): Size {
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8X':
      return sizeOf(1 + file.readUIntLE(24, 3), 1 + file.readUIntLE(27, 3))
    case 'VP8 ':
      return sizeOf(file.readUInt16LE(26) & 0x3fff, file.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const bits = file.readUInt32LE(21)
      return sizeOf(1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff))
    }
    default:
      return UNKNOWN
  }
}
