import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'

test('a segment is created, shown, renamed and deleted', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const created = await acme.post('/segments', { name: 'Early' })
  const { id } = created.body
  expect(created.body).toEqual({ object: 'segment', id: expect.any(String), name: 'Early' })
  expect((await acme.get(`/segments/${id}`)).body).toEqual({
    object: 'segment',
    id,
    name: 'Early',
    created_at: expect.any(String),
  })
  expect((await acme.get('/segments')).body.data).toEqual([{ id, name: 'Early', created_at: expect.any(String) }])

  expect((await acme.patch(`/segments/${id}`, { name: 'Late' })).body).toEqual({ object: 'segment', id })
  expect((await acme.patch(`/segments/${id}`, {})).status).toBe(200)
  expect((await acme.get(`/segments/${id}`)).body.name).toBe('Late')

  expect((await acme.delete(`/segments/${id}`)).body).toEqual({ object: 'segment', id, deleted: true })
  expect((await acme.get(`/segments/${id}`)).body).toMatchObject({ statusCode: 404, message: 'Segment not found' })
  expect((await acme.patch(`/segments/${id}`, { name: 'Never' })).status).toBe(404)
})

test('deleting a segment that is not there says that it is gone', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const id = newId()

  const reply = await acme.delete(`/segments/${id}`)

  expect(reply.body).toEqual({ object: 'segment', id, deleted: true })
})

test('a segment needs a name of 1 to 255 characters', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  expect((await acme.post('/segments', {})).body.message).toBe('Missing `name` field.')
  expect((await acme.post('/segments', { name: null })).body.message).toBe('Missing `name` field.')
  expect((await acme.post('/segments', { name: '' })).body.name).toBe('validation_error')
  expect((await acme.post('/segments', { name: '🐦'.repeat(255) })).status).toBe(201)
  expect((await acme.post('/segments', { name: 'x'.repeat(256) })).body.name).toBe('validation_error')
})

test('two segments may have one name', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const first = await acme.post('/segments', { name: 'Early' })
  const second = await acme.post('/segments', { name: 'Early' })

  expect(second.status).toBe(201)
  expect(second.body.id).not.toBe(first.body.id)
})

test('what other clients send along is ignored', async () => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await acme.post('/segments', { name: 'Early', filter: { and: [] }, audience_id: newId() })

  expect(reply.status).toBe(201)
})
