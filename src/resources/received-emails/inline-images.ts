/** An image that came with a message. */
export interface InlineImage {
  readonly contentId: string
  readonly contentType: string
  /** In bytes. */
  readonly size: number
  content(): Promise<Buffer | null>
}

/** What a browser shows. Anything else that calls itself an image stays where it is. */
const IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/i

const REFERENCE = /cid:([^"'\s)<>]{1,250})/gi

/**
 * What all images together may add to the html. A reference to an image is ten characters and the image megabytes, so 1.4 MB of a
 * stranger's mail became 517 MB. What is beyond keeps pointing to its image, which is among the attachments.
 */
const MAX_ADDED_CHARACTERS = 10 * 1024 * 1024

/** The html with its own images in it, instead of pointers to them. */
export async function withInlineImages(html: string, images: readonly InlineImage[]): Promise<string> {
  const uses = new Map<string, number>()
  for (const [, id] of html.matchAll(REFERENCE)) uses.set(readable(id!), (uses.get(readable(id!)) ?? 0) + 1)
  const uris = new Map<string, string>()
  let room = MAX_ADDED_CHARACTERS
  for (const image of images) {
    const id = image.contentId.toLowerCase()
    const count = uses.get(id)
    if (!count || uris.has(id) || !IMAGE.test(image.contentType)) continue
    // Before it is read: what does not fit is not worth reading.
    const added = count * encodedLength(image)
    if (added > room) continue
    const content = await image.content()
    if (!content) continue
    room -= added
    uris.set(id, `data:${image.contentType.toLowerCase()};base64,${content.toString('base64')}`)
  }
  return html.replace(REFERENCE, (reference, id: string) => uris.get(readable(id)) ?? reference)
}

const encodedLength = ({ contentType, size }: InlineImage) =>
  'data:;base64,'.length + contentType.length + 4 * Math.ceil(size / 3)

function readable(id: string): string {
  try {
    return decodeURIComponent(id).toLowerCase()
  } catch {
    return id.toLowerCase()
  }
}
