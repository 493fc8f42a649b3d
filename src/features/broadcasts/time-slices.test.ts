import { expect, test } from 'vitest'
import { broadcastTo, makeManyContacts } from '../../../test/harness/broadcasts.ts'
import { addVerifiedDomain, emptyLedger, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { countTurns } from '../../../test/harness/turns.ts'
import type { Outcome } from '../../mail/outcome.ts'
import { copySlices } from '../emails/delivery/copy-slices.ts'
import type { DestinationResolver } from '../emails/delivery/transport/destination-resolvers.ts'
import type { Sender } from '../emails/delivery/transport/sender.ts'

const DELIVERED: Outcome = { kind: 'delivered', reply: '250 2.0.0 Ok' }
const COPIES = 60

test('copies are built and signed in slices, with turns of the event loop for everything else between them', async () => {
  let turns = () => 0
  /** In which turn a copy was ready. */
  const ready: number[] = []
  const router: DestinationResolver = {
    resolve: async () => ({ kind: 'found', destination: { name: 'relay', hosts: [] } }),
    hasOneServer: true,
  }
  const sender: Sender = {
    async send(_destination, { to }) {
      copySlices.giveWay()
      ready.push(turns())
      return to.map(() => DELIVERED)
    },
    pausedUntil: () => null,
    close: async () => {},
  }
  const settings = { POSTWREN_DELIVERY: 'direct', POSTWREN_PUBLIC_URL: 'https://mail.acme.dev' }
  const { app, acme } = await startAcme(settings, { router, sender })
  await emptyLedger(app)
  const domain = `d-${newId()}.dev`
  await addVerifiedDomain(app, acme, domain)
  const segment = await makeManyContacts(app, acme, COPIES)
  const paragraph =
    '<p>Dear {{{FIRST_NAME|friend}}}, a line of some length, so that there is something to encode.</p>\n'
  await broadcastTo(acme, segment, { from: `Acme <hello@${domain}>`, html: paragraph.repeat(150) })
  await app.runDueJobs()

  turns = countTurns()
  copySlices.giveWay()
  await app.delivery.start()
  await app.until(() => ready.length === COPIES)

  // Somebody waits all the time, so slices are short. Without them the copies were ready in three turns: those that it takes to hand them over.
  expect(new Set(ready).size).toBeGreaterThan(5)
})
