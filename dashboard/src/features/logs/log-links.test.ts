import { expect, test } from 'vitest'
import { subjectOf } from './log-links.tsx'

const ID = '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'

test('a log leads to the object of its path, or to the one that it created', () => {
  expect(subjectOf({ endpoint: `/emails/${ID}/cancel`, response_body: null })).toMatchObject({
    to: '/emails/$id',
    id: ID,
  })
  expect(subjectOf({ endpoint: '/emails', response_body: { id: ID } })).toMatchObject({ to: '/emails/$id', id: ID })
  expect(subjectOf({ endpoint: `/emails/receiving/${ID}`, response_body: {} })).toMatchObject({ to: '/received/$id' })
  expect(subjectOf({ endpoint: `/audiences/${ID}/contacts`, response_body: {} })).toMatchObject({ to: '/segments/$id' })
  expect(subjectOf({ endpoint: '/emails/batch', response_body: { data: [] } })).toBeNull()
  expect(subjectOf({ endpoint: '/emails', response_body: 'text' })).toBeNull()
})
