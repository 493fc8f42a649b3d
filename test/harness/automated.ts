import { expect } from 'vitest'
import { type Client, startApp } from './app.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are compared with what a test expects of them
type Body = any

export type Steps = readonly { key: string; type: string; config?: object }[]
export type Connections = readonly (readonly [from: string, to: string, type?: string])[]

/** A team with a published template. */
export async function startWithTemplate(settings: Record<string, string> = {}) {
  const app = await startApp(settings)
  const acme = await app.as('acme')
  return { app, acme, template: await publishTemplate(acme) }
}

export async function publishTemplate(client: Client, content: object = {}): Promise<string> {
  const { body } = await client.post('/templates', {
    name: 'Welcome',
    from: 'Acme <hello@acme.dev>',
    subject: 'Hello',
    html: '<p>Hello</p>',
    ...content,
  })
  await client.post(`/templates/${body.id}/publish`)
  return body.id
}

/** An enabled automation; steps without connections stand in a row. */
export async function automate(
  client: Client,
  steps: Steps,
  connections: Connections = inARow(steps),
  rest: object = {},
): Promise<string> {
  const reply = await client.post('/automations', {
    name: 'Series',
    status: 'enabled',
    steps: steps.map((step) => ({ config: {}, ...step })),
    connections: connections.map(([from, to, type = 'default']) => ({ from, to, type })),
    ...rest,
  })
  expect(reply.body).toEqual({ object: 'automation', id: expect.any(String) })
  return reply.body.id
}

const inARow = (steps: Steps): Connections => steps.slice(1).map(({ key }, index) => [steps[index]!.key, key])

export const trigger = (event_name = 'user.created') => ({ key: 'start', type: 'trigger', config: { event_name } })
export const delay = (duration: string, key = 'pause') => ({ key, type: 'delay', config: { duration } })
export const send = (template: string, key = 'mail', more: object = {}) => ({
  key,
  type: 'send_email',
  config: { template: { id: template }, ...more },
})
export const waitFor = (event_name: string, more: object = {}, key = 'wait') => ({
  key,
  type: 'wait_for_event',
  config: { event_name, ...more },
})

export async function happens(client: Client, event: string, email: string, payload: object = {}) {
  const reply = await client.post('/events/send', { event, email, payload })
  expect(reply.status).toBe(202)
}

/** The runs of an automation, the oldest first, each as its status and those of its steps. */
export async function storiesOf(client: Client, automation: string) {
  const { body } = await client.get(`/automations/${automation}/runs?limit=100`)
  const runs = await Promise.all(
    body.data.toReversed().map(({ id }: Body) => client.get(`/automations/${automation}/runs/${id}`)),
  )
  return runs.map(({ body: run }) => ({
    id: run.id as string,
    status: run.status as string,
    steps: Object.fromEntries(run.steps.map((step: Body) => [step.key, step.status])) as Record<string, string>,
    outputs: Object.fromEntries(run.steps.map((step: Body) => [step.key, step.error ?? step.output])) as Record<
      string,
      Body
    >,
  }))
}

/** Whom mail was written to, and about what, the oldest first. */
export async function mailsOf(client: Client): Promise<string[]> {
  const { body } = await client.get('/emails?limit=100')
  return body.data.toReversed().map((email: Body) => `${email.subject} to ${email.to.join()}`)
}
