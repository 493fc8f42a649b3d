import type { Readable } from 'node:stream'
import type { PublicAnswer } from './public-route.ts'

/** How long a signed link to a download is good for. */
export const DOWNLOAD_LINK_MS = 3_600_000

/** What a link answers that nobody signed, or whose time is over, or whose target is not there any more. */
export const gone: PublicAnswer = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'This link is not valid, or it has expired.\n',
}

/** Whatever the sender called it: a file to keep, never a page of ours. */
export const download = (file: {
  name: string
  contentType: string
  size: number | string
  content: Readable | Buffer
}): PublicAnswer => ({
  status: 200,
  headers: {
    'content-type': file.contentType,
    'content-length': String(file.size),
    'content-disposition': `attachment; filename*=UTF-8''${spelled(file.name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=600',
  },
  body: file.content,
})

/** As RFC 8187 wants a name in a header: letters, digits and percent signs. */
const spelled = (name: string) =>
  encodeURIComponent(name).replace(/['()*!]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
