import { expect, test } from 'vitest'
import type { Answer, Outgoing } from '../delivery/deliver.ts'
import type { LoadedEmail } from '../delivery/load.ts'
import { systemClock } from '../platform/clock.ts'
import { newId, newSandboxId } from '../platform/ids.ts'
import { laboratoryTransport } from './transport.ts'

const DELIVERED = { kind: 'delivered', reply: '250 2.0.0 sent' } as const

/** What is told about mail of a team, and which teams the transport behind heard of. */
async function send(team: string) {
  const heard: string[] = []
  const transport = laboratoryTransport({
    async send({ email, recipients }, tell) {
      heard.push(email.team)
      tell(recipients.map((recipient) => ({ recipient, verdict: DELIVERED })))
    },
    close: async () => {},
  })
  const told: Answer[] = []
  const email = { team } as LoadedEmail
  const outgoing: Pick<Outgoing, 'email' | 'recipients'> = { email, recipients: ['a@example.org', 'b@example.org'] }
  await transport.send(outgoing as Outgoing, (answers) => told.push(...answers))
  return { heard, told }
}

test('mail of a sandbox never gets to the transport of the process', async () => {
  const { heard, told } = await send(newSandboxId(systemClock))

  expect(heard).toEqual([])
  expect(told.map(({ recipient, verdict }) => [recipient, verdict.kind])).toEqual([
    ['a@example.org', 'delivered'],
    ['b@example.org', 'delivered'],
  ])
})

test('mail of everybody else goes its way', async () => {
  const team = newId(systemClock)

  expect((await send(team)).heard).toEqual([team])
})
