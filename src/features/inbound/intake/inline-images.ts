/** An image that came with a message. */
export interface InlineImage {
  readonly contentId: string
  readonly contentType: string
  /** In bytes. */
  readonly size: number
  content(): Promise<Uint8Array | null>
}

/** What a browser shows. Anything else that calls itself an image stays where it is. */
const IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/i

const REFERENCE = /cid:([^"'\s)<>]{1,250})/gi

/**
 * What all images together may add to the html. A reference to an image is ten characters and the image megabytes, so 1.4 MB of a
 * mail became 517 MB. What is beyond keeps pointing to its image, which is among the attachments.
 */
const MAX_ADDED_CHARACTERS = 10 * 1024 * 1024

/** Newsletters have some fifty. To look at each of the three million that 16 MB can hold takes ten seconds. */
const MAX_REFERENCES = 5_000

/** The html with its own images in it, instead of pointers to them. */
export async function withInlineImages(html: string, images: readonly InlineImage[]): Promise<string> {
  if (images.length === 0) return html
  const references = referencesIn(html)
  const uses = new Map<string, number>()
  for (const { id } of references) uses.set(id, (uses.get(id) ?? 0) + 1)
  const uris = new Map<string, string>()
  let charactersLeft = MAX_ADDED_CHARACTERS
  for (const image of images) {
    const id = image.contentId.toLowerCase()
    const count = uses.get(id)
    if (!count || uris.has(id) || !IMAGE.test(image.contentType)) continue
    // Before it is read: what does not fit is not worth reading.
    const added = count * encodedLength(image)
    if (added > charactersLeft) continue
    const content = await image.content()
    if (!content) continue
    charactersLeft -= added
    uris.set(id, `data:${image.contentType.toLowerCase()};base64,${base64Of(content)}`)
  }
  const pieces: string[] = []
  let from = 0
  for (const { start, end, id } of references) {
    const uri = uris.get(id)
    if (uri === undefined) continue
    pieces.push(html.slice(from, start), uri)
    from = end
  }
  return pieces.join('') + html.slice(from)
}

function referencesIn(html: string): { start: number; end: number; id: string }[] {
  const references: { start: number; end: number; id: string }[] = []
  for (const { index, 0: reference, 1: id } of html.matchAll(REFERENCE)) {
    references.push({ start: index, end: index + reference.length, id: readable(id!) })
    if (references.length === MAX_REFERENCES) break
  }
  return references
}

const base64Of = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

const encodedLength = ({ contentType, size }: InlineImage) =>
  'data:;base64,'.length + contentType.length + 4 * Math.ceil(size / 3)

function readable(id: string): string {
  try {
    return decodeURIComponent(id).toLowerCase()
  } catch {
    return id.toLowerCase()
  }
}
