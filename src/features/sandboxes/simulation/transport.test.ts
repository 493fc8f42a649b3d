import { expect, test } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { newId, newSandboxId } from '../../../platform/ids.ts'
import type { Answer, Outgoing } from '../../emails/delivery/deliver.ts'
import type { LoadedEmail } from '../../emails/delivery/ledger/load.ts'
import { simulatedTransport } from './transport.ts'

const DELIVERED = { kind: 'delivered', reply: '250 2.0.0 sent' } as const

/** What is told about mail of a team, and what the transport behind heard of. */
async function send(team: string, { isInbox = false, recipients = ['a@example.org', 'b@example.org'] } = {}) {
  const heard: string[] = []
  const transport = simulatedTransport(
    {
      async send({ recipients: others }, tell) {
        heard.push(...others)
        tell(others.map((recipient) => ({ recipient, verdict: DELIVERED })))
      },
      close: async () => {},
    },
    { clock: systemClock, scenarios: { ofEmail: async () => null }, isInbox },
  )
  const told: Answer[] = []
  const email = { team, id: newId(systemClock), sentAt: systemClock.now() } as LoadedEmail
  const rowOf = () => ({ position: 0, attempts: 1, parkedFor: null, destination: null })
  const outgoing: Pick<Outgoing, 'email' | 'recipients' | 'rowOf'> = { email, recipients, rowOf }
  await transport.send(outgoing as Outgoing, (answers) => told.push(...answers))
  return { heard, told: told.map(({ recipient, verdict }) => [recipient, verdict.kind]) }
}

test('mail of a sandbox never gets to the transport of the process', async () => {
  const { heard, told } = await send(newSandboxId(systemClock))

  expect(heard).toEqual([])
  expect(told).toEqual([
    ['a@example.org', 'delivered'],
    ['b@example.org', 'delivered'],
  ])
})

test('mail of everybody else goes its way', async () => {
  expect((await send(newId(systemClock))).heard).toEqual(['a@example.org', 'b@example.org'])
})

test('ready-made addresses are ordinary ones where mail leaves, and not in a sandbox', async () => {
  const recipients = ['softbounced+1@resend.dev', 'ada@example.org']

  const leaving = await send(newId(systemClock), { recipients })
  const inbox = await send(newId(systemClock), { recipients, isInbox: true })
  const sandbox = await send(newSandboxId(systemClock), { recipients })

  expect(leaving.heard).toEqual(recipients)
  expect(inbox.heard).toEqual(['ada@example.org'])
  for (const { told } of [inbox, sandbox])
    expect(told).toEqual([
      ['softbounced+1@resend.dev', 'bounced'],
      ['ada@example.org', 'delivered'],
    ])
})
