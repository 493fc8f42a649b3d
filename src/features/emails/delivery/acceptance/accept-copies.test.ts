import { expect, onTestFinished, test, vi } from 'vitest'
import { fixedClock } from '../../../../../test/harness/clock.ts'
import { newId } from '../../../../../test/harness/ids.ts'
import { countTurns } from '../../../../../test/harness/turns.ts'
import type { Transaction } from '../../../../kernel/db/database.ts'
import type { Sql } from '../../../../kernel/db/sql.ts'
import { acceptRecipientEmails } from './accept-copies.ts'

test('a batch of copies is written down in turns with everything else', async () => {
  const turns = countTurns()
  let now = 0
  const time = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 10
    return now
  })
  onTestFinished(() => time.mockRestore())
  const statements: Sql[] = []
  const trx: Transaction = {
    clock: fixedClock(),
    query: async (statement) => {
      statements.push(statement)
      return []
    },
    announce: () => {},
  }
  const recipientEmails = Array.from({ length: 20 }, (_, n) => ({
    ...{ id: newId(), to: `user${n}@many.dev`, subject: `Dear "${n}"`, variables: {} },
  }))
  const shared = { team: newId(), from: 'hello@acme.dev', replyTo: null, topicId: null, domainId: null }

  await acceptRecipientEmails(
    trx,
    { ...shared, createdAt: new Date(), broadcastId: newId(), domainName: 'acme.dev' },
    { recipientEmails },
  )

  const { values = [] } = statements[0]!.toQuery()
  const json = values.find((value): value is string => typeof value === 'string' && value.startsWith('[{'))!
  const rows = JSON.parse(json) as { id: string; subject: string }[]
  expect(rows.map(({ id, subject }) => [id, subject])).toEqual(recipientEmails.map(({ id, subject }) => [id, subject]))
  expect(turns()).toBeGreaterThanOrEqual(19)
})
