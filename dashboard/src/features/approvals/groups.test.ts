import { expect, test } from 'vitest'
import { type Approval, groupAlike, recipientsOf } from './groups.ts'

const approval = (id: string, part: Partial<Approval>) =>
  ({
    ...{ id, policy_id: 'key', from: 'support@example.com', subject: 'Hello', to: [`${id}@example.com`] },
    ...part,
  }) as Approval

test('what is alike stands together, in the order in which the first of each came', () => {
  const groups = groupAlike([
    approval('1', {}),
    approval('2', { subject: 'Invoice' }),
    approval('3', {}),
    approval('4', { policy_id: 'other' }),
    approval('5', { from: 'sales@example.com' }),
  ])

  expect(groups.map(({ first, items }) => [first.id, items.map(({ id }) => id)])).toEqual([
    ['1', ['1', '3']],
    ['2', ['2']],
    ['4', ['4']],
    ['5', ['5']],
  ])
})

test('everybody who would get it is a recipient', () => {
  expect(recipientsOf(approval('1', { cc: ['c@example.com'], bcc: ['b@example.com'] }))).toEqual([
    '1@example.com',
    'c@example.com',
    'b@example.com',
  ])
})
