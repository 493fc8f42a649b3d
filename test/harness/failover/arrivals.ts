import { arrivalOf } from '../chaos-load.ts'
import type { MailServer } from '../mail-server.ts'

interface Arrival {
  /** One recipient of one message. */
  readonly name: string
  readonly messageId: string
  readonly at: number
}

export interface Second extends Arrival {
  readonly firstAt: number
  /** It is another message to the same recipient: the email was accepted twice. */
  readonly isOtherMessage: boolean
}

export type Arrivals = ReturnType<typeof watchArrivals>

/** What came to a mail server, and when. */
export function watchArrivals(relay: MailServer) {
  const all: Arrival[] = []
  const times: number[] = []
  let ofLoad = 0
  void relay.until(() => {
    for (const { to, bytes } of relay.messages.slice(times.length)) {
      const at = performance.now()
      times.push(at)
      const messageId = /^Message-ID: *(\S+)/im.exec(bytes.toString('latin1'))![1]!
      if (!to[0]!.startsWith('reader')) ofLoad++
      for (const one of to) all.push({ name: arrivalOf(one, bytes), messageId, at })
    }
    return false
  })
  return {
    times: times as readonly number[],
    /** Messages that are no copies of broadcasts. */
    ofLoad: () => ofLoad,
    ofBroadcast: (subject: string) => all.filter(({ name }) => name.endsWith(` ${subject}`)).length,
    names: () => new Set(all.map(({ name }) => name)),
    /** All but the first of each. */
    seconds(): Second[] {
      const firsts = new Map<string, Arrival>()
      return all.flatMap((one) => {
        const first = firsts.get(one.name)
        if (!first) firsts.set(one.name, one)
        return first ? [{ ...one, firstAt: first.at, isOtherMessage: first.messageId !== one.messageId }] : []
      })
    },
  }
}
