import { gunzipSync, inflateRawSync } from 'node:zlib'
import { MAX_FILES } from './limits.ts'

/** A report that is none, or is beyond the bounds. The message says why. */
export class UnreadableReport extends Error {
  /** Beyond the bytes that there were for it. */
  readonly isTooLarge: boolean

  constructor(message: string, { isTooLarge = false } = {}) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

/** The file as it is, or the one that is packed in it; never more than `maxBytes` of it. */
export function unpack(file: Buffer, maxBytes: number): Buffer {
  if (file.length >= 2 && file.readUInt16BE(0) === 0x1f8b)
    return bounded(() => gunzipSync(file, { maxOutputLength: maxBytes }))
  if (file.length >= 4 && file.readUInt32BE(0) === LOCAL_HEADER) return unzip(file, maxBytes)
  if (file.length > maxBytes) throw new UnreadableReport('it is too large', { isTooLarge: true })
  return file
}

function bounded(inflate: () => Buffer): Buffer {
  try {
    return inflate()
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new UnreadableReport(isTooLarge ? 'it is too large when it is unpacked' : 'it cannot be unpacked', {
      isTooLarge,
    })
  }
}

const LOCAL_HEADER = 0x504b0304
const CENTRAL_HEADER = 0x504b0102
const END_OF_DIRECTORY = 0x504b0506
const END_BYTES = 22
/** The comment of an archive, behind its directory, has two bytes for its length. */
const MAX_COMMENT_BYTES = 0xffff
const STORED = 0
const DEFLATED = 8

/** The first report in an archive: of its directory a few entries are read, and one of the files. */
function unzip(archive: Buffer, maxBytes: number): Buffer {
  const entries = entriesOf(archive)
  const entry =
    entries.find(({ name }) => /\.(?:xml|json)$/i.test(name)) ?? entries.find(({ name }) => !name.endsWith('/'))
  if (!entry) throw new UnreadableReport('the archive has no file')
  if (entry.isEncrypted) throw new UnreadableReport('the archive is encrypted')
  const content = archive.subarray(entry.start, entry.start + entry.packedBytes)
  if (entry.method === STORED && content.length <= maxBytes) return content
  if (entry.method !== DEFLATED) throw new UnreadableReport('the archive is packed in a way that is not supported')
  return bounded(() => inflateRawSync(content, { maxOutputLength: maxBytes }))
}

interface Entry {
  readonly name: string
  readonly isEncrypted: boolean
  readonly method: number
  /** Where its content begins. */
  readonly start: number
  readonly packedBytes: number
}

function entriesOf(archive: Buffer): Entry[] {
  const entries: Entry[] = []
  try {
    const end = findEnd(archive)
    let at = archive.readUInt32LE(end + 16)
    const count = Math.min(archive.readUInt16LE(end + 10), MAX_FILES)
    for (let read = 0; read < count && archive.readUInt32BE(at) === CENTRAL_HEADER; read++) {
      const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset))
      const header = archive.readUInt32LE(at + 42)
      if (archive.readUInt32BE(header) !== LOCAL_HEADER) throw new UnreadableReport('the archive is damaged')
      entries.push({
        name: archive.toString('latin1', at + 46, at + 46 + nameBytes!),
        isEncrypted: (archive.readUInt16LE(at + 8) & 1) === 1,
        method: archive.readUInt16LE(at + 10),
        start: header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28),
        packedBytes: archive.readUInt32LE(at + 20),
      })
      at += 46 + nameBytes! + extraBytes! + commentBytes!
    }
  } catch (error) {
    // An offset that leads out of the archive.
    if (error instanceof RangeError) throw new UnreadableReport('the archive is damaged')
    throw error
  }
  return entries
}

/** The directory ends the archive, but for a comment. */
function findEnd(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - MAX_COMMENT_BYTES)
  for (let at = archive.length - END_BYTES; at >= first; at--)
    if (archive.readUInt32BE(at) === END_OF_DIRECTORY) return at
  throw new UnreadableReport('the archive is damaged')
}
