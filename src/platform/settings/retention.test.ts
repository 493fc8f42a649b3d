import { expect, test } from 'vitest'
import { mapKinds } from '../../mail/retention-kinds.ts'
import { retentionInWords } from './retention.ts'

const DAY = 86_400

test('parts of an email that are kept no shorter than it go with it, and a line says so', () => {
  const forever = mapKinds(() => Number.POSITIVE_INFINITY)

  expect(retentionInWords(forever)).toBe(
    'emails, received, events, logs, runs, trash, audit forever; bodies, attachments as long as their email',
  )
  expect(retentionInWords({ ...forever, emails: 90 * DAY })).toContain('bodies, attachments as long as their email')
  expect(retentionInWords({ ...forever, emails: 90 * DAY, bodies: 30 * DAY })).toContain('bodies 30d')
  // Those of received emails would be kept for longer without it.
  expect(retentionInWords({ ...forever, emails: 30 * DAY, attachments: 90 * DAY })).toContain('attachments 90d')
})
