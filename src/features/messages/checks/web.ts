import type { Found } from '../../../mail/checks/finding.ts'
import { LARGE_BYTES } from '../../../mail/checks/images.ts'
import type { UsedLink } from '../../../mail/checks/links.ts'
import { Semaphore } from '../../../platform/concurrency/semaphore.ts'
import type { Probe, Probed } from './probe.ts'

/** Of one message. Whoever has more learns about the first ones. */
const MAX_PROBES = 100
const MAX_CONCURRENT = 8
/** For all of a message. What was not asked by then is not told. */
const CHECK_TIMEOUT_MS = 25_000

/** For all messages that are being checked in this process. */
const asking = new Semaphore(32)

interface ProbeOptions {
  readonly probe: Probe
  readonly isOnlyLoopback: boolean
}

/** Asks the server of each, some at a time and not for ever. Null: there was no time for it, or there were too many before it. */
export async function askServers(
  links: readonly UsedLink[],
  { probe, isOnlyLoopback }: ProbeOptions,
): Promise<(Probed | null)[]> {
  const answers: (Probed | null)[] = links.map(() => null)
  const stopping = new AbortController()
  const timer = setTimeout(() => stopping.abort(), CHECK_TIMEOUT_MS)
  const next = links.slice(0, MAX_PROBES).entries()
  const work = async () => {
    for (const [index, { href }] of next) {
      if (stopping.signal.aborted) return
      answers[index] = await asking
        .run(1, () => probe(href, { isOnlyLoopback, signal: stopping.signal }))
        .catch((error: unknown) => {
          if (stopping.signal.aborted) return null
          throw error
        })
    }
  }
  try {
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, work))
  } finally {
    clearTimeout(timer)
  }
  return answers
}

/** What is wrong with links and pictures, as their servers say. */
export async function findDead({
  pages,
  pictures,
  ...asking
}: ProbeOptions & { readonly pages: readonly UsedLink[]; readonly pictures: readonly UsedLink[] }): Promise<Found[]> {
  const links = [...pages, ...pictures]
  const answers = await askServers(links, asking)
  const found = links.flatMap(({ href, at }, index): Found[] => {
    const probed = answers[index]
    const isPage = index < pages.length
    const fault = probed ? (isPage ? pageFault(probed) : pictureFault(probed)) : null
    if (!fault) return []
    return [{ check: isPage ? 'links' : 'images', at, ...fault, detail: `${href.slice(0, 300)}: ${fault.detail}` }]
  })
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
      return { severity: 'error', title: 'A link is broken: the server does not respond', detail: probed.reason }
  }
}

function pictureFault(probed: Probed): Fault | null {
  if (probed.kind === 'refused') return null
  if (probed.kind !== 'answered')
    return { severity: 'error', title: 'An image cannot be loaded: the server does not respond', detail: probed.reason }
  const fault = statusFault(probed.status, 'An image')
  if (fault || probed.bytes === null || probed.bytes <= LARGE_BYTES) return fault
  const size = `${(probed.bytes / LARGE_BYTES).toFixed(1)} MB`
  return { severity: 'warning', title: 'An image on the web is larger than 1 MB', detail: size }
}

/** Who is not let in (401, 403), or asks too often (429), knows nothing about the page. */
function statusFault(status: number, what: string): Fault | null {
  const detail = `the server answered ${status}`
  if (status === 404 || status === 410) return { severity: 'error', title: `${what} is broken: not found`, detail }
  return status >= 500 ? { severity: 'warning', title: `${what} returns a server error`, detail } : null
}
