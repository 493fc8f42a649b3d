import type { OutgoingHttp } from '../../adapters/outgoing-http/outgoing-http.ts'
import { FairQueue } from '../../platform/concurrency/fair-queue.ts'
import { isSandbox } from '../../platform/ids.ts'
import type { Download } from './attachments.ts'

const DOWNLOAD_MS = 15_000
const MAX_REDIRECTS = 3

/**
 * How many emails may have their attachments downloaded at once: each of them needs up to 30 MB of memory, and a place for as long as the
 * servers that it names take. An origin gets 20 connections at most, and somebody who attacks names many origins.
 */
const SHARE = { places: 8, perTenant: 3, waitingPerTenant: 100, waitMs: 30_000 }

/** Fetches what attachments name by their addresses. */
export function downloader(http: OutgoingHttp): Download {
  const turns = new FairQueue(SHARE)
  return {
    inTurn: (team, work) => turns.run(team, work),
    async fetch(url, room, { team }) {
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
    },
  }
}
