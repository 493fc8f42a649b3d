/** An image that came with a message. */
export interface InlineImage {
  readonly contentId: string
  readonly contentType: string
  content(): Promise<Buffer | null>
}

/** What a browser shows. Anything else that calls itself an image stays where it is. */
const IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/i

const REFERENCE = /cid:([^"'\s)<>]{1,250})/gi

/** The html with its own images in it, instead of pointers to them. */
export async function withInlineImages(html: string, images: readonly InlineImage[]): Promise<string> {
  const wanted = new Set([...html.matchAll(REFERENCE)].map(([, id]) => readable(id!)))
  const uris = new Map<string, string>()
  for (const image of images) {
    const id = image.contentId.toLowerCase()
    if (!wanted.has(id) || uris.has(id) || !IMAGE.test(image.contentType)) continue
    const content = await image.content()
    if (content) uris.set(id, `data:${image.contentType.toLowerCase()};base64,${content.toString('base64')}`)
  }
  return html.replace(REFERENCE, (reference, id: string) => uris.get(readable(id)) ?? reference)
}

function readable(id: string): string {
  try {
    return decodeURIComponent(id).toLowerCase()
  } catch {
    return id.toLowerCase()
  }
}
