import { expect, test } from 'vitest'
import { csvLine } from '../../../../src/mail/csv.ts'
import { contactColumns } from './contact-csv.ts'

test('a contact is exported with its segments, topics and properties', () => {
  const columns = contactColumns(['plan', 'email'])
  const contact = {
    ...{ id: '1', email: 'ada@example.com', first_name: null, last_name: 'L', unsubscribed: false, created_at: 'then' },
    segments: [
      { id: 's1', name: 'Readers' },
      { id: 's2', name: 'A; B' },
    ],
    topics: [{ id: 't1', name: 'News', subscription: 'opt_out' as const }],
    properties: { plan: { type: 'string' as const, value: 'pro' } },
  }

  expect(csvLine(columns.map(([name]) => name))).toBe(
    'id,email,first_name,last_name,unsubscribed,created_at,segments,topics,plan,property_email\r\n',
  )
  expect(csvLine(columns.map(([, value]) => value(contact)))).toBe(
    '1,ada@example.com,,L,false,then,Readers; s2,News=opt_out,pro,\r\n',
  )
})
