// As much as file systems take; also keeps every spelling of it within a header.
const MAX_NAME_BYTES = 255
const MAX_EXTENSION_LENGTH = 20

// A change of the writing direction makes `gpj.exe` look like `exe.jpg`. Joiners stay: emoji are made with them.
const DECEIVING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/** A name that names one file in one folder, whatever the sender wrote: no path, no control characters, not endless. */
export function safeFilename(name: string): string {
  const clean = name.toWellFormed().replace(DECEIVING, '').replace(/[/\\]/g, '_').trim()
  return /^\.*$/.test(clean) ? 'attachment' : shortened(clean)
}

/** Cut in the middle: the end says what kind of file it is. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION_LENGTH ? name.slice(dot) : ''
  let bytesLeft = MAX_NAME_BYTES - Buffer.byteLength(extension)
  let start = ''
  for (const character of name) {
    bytesLeft -= Buffer.byteLength(character)
    if (bytesLeft < 0) break
    start += character
  }
  return start.trim() + extension
}
