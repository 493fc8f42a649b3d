import { smallEmail } from '../email.ts'
import { startHookReceiver } from '../receiver.ts'
import { addDomain, endToEnd, settled } from '../send.ts'
import { startSink } from '../sink.ts'
import { type Contender, call } from './contender.ts'
import type { Probe } from './probes.ts'
import { webhooksSettled } from './webhooks-settled.ts'

const DOMAIN = 'ed25519.bench.dev'

/** Each role in a process of its own, and a webhook that wants to hear what was delivered: from the request until it has heard of it. */
export const throughRoles = (
  summary: string,
  { amount, isOneByOne = false }: { amount: number; isOneByOne?: boolean },
): Probe => ({
  summary,
  unit: 'email',
  async prepare() {
    const sink = await startSink()
    const receiver = await startHookReceiver()
    const email = smallEmail(`shop@${DOMAIN}`)
    const relay = {
      ...{ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
      POSTWREN_PRIVATE_ADDRESSES: 'allow',
    }
    const sendOne = async (contender: Contender) => {
      sink.reset()
      const arrived = sink.reached(1)
      await call(contender, 'POST', '/emails', email)
      await arrived
      await settled(contender.database)
    }
    const send = async (contender: Contender, count: number) => {
      receiver.reset()
      const heard = receiver.reached(count)
      if (count === 1) await sendOne(contender)
      else await endToEnd(contender.service, contender.database, sink, email, count)
      await heard
      await webhooksSettled(contender)
    }
    const round = async (contender: Contender) => {
      if (isOneByOne) for (let sent = 0; sent < amount; sent++) await send(contender, 1)
      else await send(contender, amount)
      return amount
    }
    return {
      settings: async () => ({ ...relay, POSTWREN_ROLES: 'api' }),
      async begin(contender) {
        for (const role of ['delivery', 'jobs']) await contender.startPeer({ ...relay, POSTWREN_ROLES: role })
        await addDomain(contender.service, contender.database, DOMAIN, 'ed25519')
        await call(contender, 'POST', '/webhooks', { endpoint: `${receiver.url}/`, events: ['email.delivered'] })
        await round(contender)
      },
      round,
      async end() {
        await sink.stop()
        await receiver.stop()
      },
    }
  },
})
