import { describe, expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { renderTemplate } from './actions.ts'

async function start(template: object) {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body } = await acme.post('/templates', { name: 'Welcome', alias: 'welcome', ...template })
  await acme.post('/templates/welcome/publish')
  const render = (variables: Record<string, unknown> = {}, client: Client = acme, which: string = body.id) =>
    renderTemplate(app.db, client.team, which, variables)
  return { app, acme, id: body.id as string, render }
}

const refusal = (message: string | RegExp) =>
  expect.objectContaining({ kind: 'validation_error', message: expect.stringMatching(message) })

test('values go into subject, html and text, by id and by alias', async () => {
  const { acme, id, render } = await start({
    from: 'Acme <hello@acme.example>',
    reply_to: ['help@acme.example'],
    subject: 'Order {{{ORDER}}}',
    html: '<p>{{{NAME}}}: {{{ORDER}}}</p>',
    text: '{{{NAME}}}: {{{ORDER}}}',
    variables: [
      { key: 'NAME', type: 'string' },
      { key: 'ORDER', type: 'number' },
    ],
  })
  const expected = {
    id,
    from: 'Acme <hello@acme.example>',
    reply_to: ['help@acme.example'],
    subject: 'Order 7',
    html: '<p>Ada: 7</p>',
    text: 'Ada: 7',
  }

  expect(await render({ NAME: 'Ada', ORDER: 7 })).toEqual(expected)
  expect(await render({ NAME: 'Ada', ORDER: 7, unknown: true }, acme, 'welcome')).toEqual(expected)
})

test('values are put in as they are, in one pass, and never looked into', async () => {
  const { render } = await start({ html: '{{{A}}} {{{B}}}' })

  const { html } = await render({ A: '<b>{{{B}}}</b> $& $1 {{{C|x}}}', B: '{{{A}}}' })

  expect(html).toBe('<b>{{{B}}}</b> $& $1 {{{C|x}}} {{{A}}}')
})

test('what is given counts most, then the fallback of the variable, then the one in the placeholder', async () => {
  const { render } = await start({
    html: '{{{A|inline}}} {{{B|inline}}} {{{C|inline}}}',
    variables: [
      { key: 'A', type: 'string', fallback_value: 'declared' },
      { key: 'B', type: 'string', fallback_value: 'declared' },
      { key: 'C', type: 'string' },
    ],
  })

  expect((await render({ A: 'given' })).html).toBe('given declared inline')
  expect((await render({ A: '', B: null })).html).toBe(' declared inline')
})

test('everything that is not text is written as JSON has it', async () => {
  const { render } = await start({
    html: '{{{N}}} {{{B}}} {{{O}}} {{{L}}}',
    variables: [
      { key: 'N', type: 'number' },
      { key: 'B', type: 'boolean' },
      { key: 'O', type: 'object' },
      { key: 'L', type: 'list', fallback_value: [1, 'two'] },
    ],
  })

  expect((await render({ N: 0.5, B: false, O: { a: 1 } })).html).toBe('0.5 false {"a":1} [1,"two"]')
})

describe('a template cannot be filled in', () => {
  test('without a variable that has no fallback, used or not', async () => {
    const { render } = await start({ html: '{{{A}}}', variables: [{ key: 'UNUSED', type: 'string' }] })

    await expect(render({ UNUSED: 'x' })).rejects.toEqual(refusal('Missing `template.variables.A` field'))
    await expect(render({ A: 'x' })).rejects.toEqual(refusal('Missing `template.variables.UNUSED` field'))
    expect((await render({ A: 'x', UNUSED: 'x' })).html).toBe('x')
  })

  test('with a value of another type', async () => {
    const { render } = await start({ html: '{{{A}}}', variables: [{ key: 'A', type: 'number', fallback_value: 1 }] })

    await expect(render({ A: '7' })).rejects.toEqual(refusal('Variable "A" must be a `number`'))
  })

  test('with what only a broadcast knows, unless it brings a fallback', async () => {
    const { render } = await start({ html: '{{{FIRST_NAME}}}', subject: 'Hi {{{contact.first_name|there}}}' })

    await expect(render()).rejects.toEqual(refusal('uses `FIRST_NAME`, which only broadcasts and automations know'))
    expect(await render({ FIRST_NAME: 'Ada' })).toMatchObject({ html: 'Ada', subject: 'Hi there' })
  })

  test('when it is a draft, another team’s, or not there', async () => {
    const { app, acme, render } = await start({ html: 'x' })
    await acme.post('/templates', { name: 'Draft', alias: 'draft', html: 'x' })

    await expect(render({}, acme, 'draft')).rejects.toEqual(refusal('is a draft'))
    for (const [client, which] of [
      [await app.as('globex'), 'welcome'],
      [acme, 'nobody'],
      [acme, '00000000-0000-4000-8000-000000000000'],
    ] as const)
      await expect(render({}, client, which)).rejects.toMatchObject({
        kind: 'not_found',
        message: 'Template not found',
      })
  })
})

test('mail is made of what is published, whatever is written since', async () => {
  const { acme, render } = await start({
    html: 'first',
    variables: [{ key: 'A', type: 'string', fallback_value: 'a' }],
  })

  await acme.patch('/templates/welcome', { html: 'second {{{B}}}', variables: [{ key: 'B', type: 'number' }] })
  expect((await render()).html).toBe('first')

  await acme.post('/templates/welcome/publish')
  expect((await render({ B: 2 })).html).toBe('second 2')
})
