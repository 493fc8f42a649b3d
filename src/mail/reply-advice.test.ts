import { expect, test } from 'vitest'
import { CLASSES } from './replies/classes.ts'
import { adviceFor } from './reply-advice.ts'
import { REPLY_CLASSES, REPLY_MEANS } from './reply-class.ts'

test('every class has advice, whatever it means', () => {
  for (const replyClass of REPLY_CLASSES)
    for (const means of REPLY_MEANS) expect(adviceFor({ class: replyClass, means })).toMatch(/^[A-Z].*\.$/)
})

test('a full disk of theirs is not a full mailbox', () => {
  const { about, passing: means } = CLASSES.quota_issues

  expect(adviceFor({ class: 'quota_issues', means, about })).toContain('mailbox is full')
  expect(adviceFor({ class: 'quota_issues', means: 'trouble', about: 'site' })).toContain('trouble of its own')
})

test('an address that may come back is not to be removed', () => {
  expect(adviceFor({ class: 'inactive_mailbox', means: 'bad_address' })).toContain('Remove')
  expect(adviceFor({ class: 'inactive_mailbox', means: 'refused' })).not.toContain('Remove')
})
