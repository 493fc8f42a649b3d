import { isSandbox } from '../../platform/ids.ts'
import type { OutgoingHttp } from '../../platform/outgoing-http/outgoing-http.ts'
import type { Download } from './attachments.ts'

const DOWNLOAD_MS = 15_000
const MAX_REDIRECTS = 3

/** Fetches what an attachment names by its address. */
export const downloader =
  (http: OutgoingHttp): Download =>
  async (url, room, { team }) => {
    const answer = await http.send({
      method: 'GET',
      url,
      timeoutMs: DOWNLOAD_MS,
      maxBytes: room.bytes,
      room,
      maxRedirects: MAX_REDIRECTS,
      isOnlyLoopback: isSandbox(team),
    })
    if (answer.kind === 'too_large') return 'too_large'
    if (answer.kind !== 'answered') return { refusal: answer.reason }
    if (answer.status !== 200) return { refusal: `the server answered ${answer.status}` }
    return { content: answer.body, contentType: answer.headers['content-type']?.split(';')[0]?.trim() ?? null }
  }
