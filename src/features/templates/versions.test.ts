import { describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { sql } from '../../kernel/db/sql.ts'

const WELCOME = { name: 'Welcome', alias: 'welcome', html: '<p>One</p>', subject: 'First' }

describe('a version', () => {
  test('that was published is kept, and listed newest first', async () => {
    const acme = await (await startApp()).as('acme')
    await acme.post('/templates', WELCOME)
    await acme.post('/templates/welcome/publish')
    await acme.patch('/templates/welcome', { html: '<p>Two</p>', subject: 'Second' })
    await acme.post('/templates/welcome/publish')
    await acme.patch('/templates/welcome', { subject: 'Third' })

    const { body } = await acme.get('/templates/welcome/versions')

    const id = expect.any(String)
    const time = expect.stringMatching(/\+00$/)
    expect(body).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { id, subject: 'Third', is_current: true, is_published: false, created_at: time, published_at: null },
        { id, subject: 'Second', is_current: false, is_published: true, created_at: time, published_at: time },
        { id, subject: 'First', is_current: false, is_published: false, created_at: time, published_at: time },
      ],
    })
  })

  test('is shown with all that belongs to it', async () => {
    const acme = await (await startApp()).as('acme')
    const variables = [{ key: 'NAME', type: 'string', fallback_value: 'you' }]
    const content = { from: 'a@acme.example', reply_to: ['b@acme.example'], text: 'One', variables }
    await acme.post('/templates', { ...WELCOME, ...content })
    await acme.post('/templates/welcome/publish')
    await acme.patch('/templates/welcome', { html: '<p>Two</p>', from: null, variables: [] })
    const [, first] = (await acme.get('/templates/welcome/versions')).body.data

    const { body } = await acme.get(`/templates/welcome/versions/${first.id}`)

    expect(body).toEqual({
      ...{ object: 'template_version', ...first, ...content, html: '<p>One</p>' },
      variables: [expect.objectContaining(variables[0]!)],
    })
  })

  test('is taken up again as a draft, and counts when it is published', async () => {
    const acme = await (await startApp()).as('acme')
    const variables = [{ key: 'NAME', type: 'string', fallback_value: 'you' }]
    const { id } = (await acme.post('/templates', { ...WELCOME, variables })).body
    await acme.post('/templates/welcome/publish')
    await acme.patch('/templates/welcome', { html: '<p>Two</p>', subject: 'Second', variables: [] })
    await acme.post('/templates/welcome/publish')
    const [second, first] = (await acme.get('/templates/welcome/versions')).body.data

    const restored = await acme.post(`/templates/welcome/versions/${first.id}/restore`)

    expect(restored.body).toEqual({ object: 'template', id })
    const template = (await acme.get('/templates/welcome')).body
    expect(template).toMatchObject({ html: '<p>One</p>', subject: 'First', has_unpublished_versions: true })
    expect(template.variables).toEqual([expect.objectContaining(variables[0]!)])
    const versions = (await acme.get('/templates/welcome/versions')).body.data
    expect(versions.map((version: { id: string }) => version.id)).toEqual([
      template.current_version_id,
      second.id,
      first.id,
    ])
    await acme.post('/templates/welcome/publish')
    expect((await acme.get('/templates/welcome')).body).toMatchObject({ has_unpublished_versions: false })
  })

  test('of another template or team does not exist', async () => {
    const app = await startApp()
    const [acme, globex] = [await app.as('acme'), await app.as('globex')]
    await acme.post('/templates', WELCOME)
    await acme.post('/templates', { ...WELCOME, alias: 'other' })
    await globex.post('/templates', WELCOME)
    const version = (await acme.get('/templates/welcome')).body.current_version_id

    for (const reply of [
      await acme.get(`/templates/other/versions/${version}`),
      await acme.post(`/templates/other/versions/${version}/restore`),
      await globex.get(`/templates/welcome/versions/${version}`),
      await globex.post(`/templates/welcome/versions/${version}/restore`),
      await acme.get('/templates/nobody/versions'),
    ])
      expect(reply.status).toBe(404)
    expect((await acme.get('/templates/welcome/versions/nonsense')).status).toBe(422)
  })
})

test('drafts that were written over are not kept, and of what was published the last fifty', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await acme.post('/templates', { ...WELCOME, variables: [{ key: 'A', type: 'string' }] })
  const count = async () => {
    const [row] = await app.db.query<{ versions: number; variables: number }>(sql`
      select (select count(*)::int from template_versions where team_id = ${acme.team}) as versions,
             (select count(*)::int from template_variables where team_id = ${acme.team}) as variables`)
    return row
  }
  const edit = (n: number) => acme.patch('/templates/welcome', { html: `<p>${n}</p>` })

  for (let n = 0; n < 3; n++) await edit(n)
  expect(await count()).toEqual({ versions: 1, variables: 1 })
  await acme.post('/templates/welcome/publish')
  for (let n = 0; n < 3; n++) await edit(n)
  expect(await count()).toEqual({ versions: 2, variables: 2 })
  for (let n = 0; n < 52; n++) {
    await edit(n)
    await acme.post('/templates/welcome/publish')
  }
  expect(await count()).toEqual({ versions: 50, variables: 50 })
  await acme.delete('/templates/welcome')
  expect(await count()).toEqual({ versions: 0, variables: 0 })
})
