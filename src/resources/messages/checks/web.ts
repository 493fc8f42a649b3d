import type { Found } from '../../../mail/checks/finding.ts'
import { LARGE_BYTES } from '../../../mail/checks/images.ts'
import type { UsedLink } from '../../../mail/checks/links.ts'
import { Semaphore } from '../../../platform/semaphore.ts'
import type { Probe, Probed } from './probe.ts'

/** Of one message. Whoever has more learns about the first ones. */
const MOST_ASKED = 100
const AT_ONCE = 8
/** For all of a message. What was not asked by then is not told. */
const PATIENCE_MS = 25_000

/** For all messages that are being checked in this process. */
const asking = new Semaphore(32)

interface Asked {
  readonly pages: readonly UsedLink[]
  readonly pictures: readonly UsedLink[]
  readonly probe: Probe
  readonly isOnlyLoopback: boolean
}

/** Asks the servers of links and pictures, some at a time and not for ever. */
export async function findDead({ pages, pictures, probe, isOnlyLoopback }: Asked): Promise<Found[]> {
  const wanted = [
    ...pages.map((link) => ({ ...link, check: 'links' as const })),
    ...pictures.map((link) => ({ ...link, check: 'images' as const })),
  ].slice(0, MOST_ASKED)
  const found: Found[] = []
  const stopping = new AbortController()
  const timer = setTimeout(() => stopping.abort(), PATIENCE_MS)
  const next = wanted.values()
  const work = async () => {
    for (const { href, at, check } of next) {
      if (stopping.signal.aborted) return
      const probed = await asking
        .run(1, () => probe(href, { isOnlyLoopback, signal: stopping.signal }))
        .catch((error: unknown) => {
          if (stopping.signal.aborted) return null
          throw error
        })
      const fault = probed && (check === 'links' ? pageFault(probed) : pictureFault(probed))
      if (fault) found.push({ check, at, ...fault, detail: `${href.slice(0, 300)}: ${fault.detail}` })
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    clearTimeout(timer)
  }
  return found.sort((a, b) => a.at! - b.at!)
}

type Fault = Pick<Found, 'severity' | 'title'> & { detail: string }

function pageFault(probed: Probed): Fault | null {
  switch (probed.kind) {
    case 'answered':
      return statusFault(probed.status, 'A link')
    case 'refused':
      // By our own rules, which say nothing about the page.
      return null
    case 'failed':
    case 'timed_out':
      return { severity: 'error', title: 'A link is dead: no server answers', detail: probed.reason }
  }
}

function pictureFault(probed: Probed): Fault | null {
  if (probed.kind === 'refused') return null
  if (probed.kind !== 'answered')
    return { severity: 'error', title: 'An image cannot be loaded: no server answers', detail: probed.reason }
  const fault = statusFault(probed.status, 'An image')
  if (fault || probed.bytes === null || probed.bytes <= LARGE_BYTES) return fault
  const size = `${(probed.bytes / LARGE_BYTES).toFixed(1)} MB`
  return { severity: 'warning', title: 'An image on the web is larger than 1 MB', detail: size }
}

/** Who is not let in (401, 403), or asks too often (429), knows nothing about the page. */
function statusFault(status: number, what: string): Fault | null {
  const detail = `the server answered ${status}`
  if (status === 404 || status === 410) return { severity: 'error', title: `${what} is dead: it is not found`, detail }
  return status >= 500 ? { severity: 'warning', title: `${what} leads to an error of its server`, detail } : null
}
