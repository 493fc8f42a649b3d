import { differences, Score } from '../score.ts'
import { fresh, type Json, until, type World } from '../world.ts'
import { readProgram, tryFirstMail } from './first-mail.ts'
import { type Framework, LANGUAGES } from './languages.ts'
import { readOutput } from './output.ts'
import { folderOf, missingTool, prepare, runProgram, succeeds } from './toolchain.ts'

/** The official SDK of a language, every method of it, and a framework that sends through it. None without its tools. */
export async function tryLanguage(key: string, world: World): Promise<Score[]> {
  const language = LANGUAGES[key]!
  const missing = missingTool(language.tools)
  if (missing) {
    console.error(`  skipped: no ${missing} on this machine`)
    return []
  }
  const folder = folderOf(key, language)
  if (!prepare(key, language, folder)) {
    console.error('  skipped: its packages cannot be installed here')
    return []
  }
  const environment = await setOut(key, world)
  const intercepted = await language.intercept?.(world.url, folder)
  const finished = await runProgram(language.trial, folder, { ...environment, ...intercepted?.environment })
  const score = readOutput(`SDK for ${language.name}`, finished)
  const { name, firstMail } = language
  if (firstMail) score.count('first mail', await tryFirstMail(readProgram(name, key), { world, folder, firstMail }))
  const scores: Score[] = [score]
  for (const framework of language.frameworks ?? []) {
    if (framework.needs && !succeeds(framework.needs, folder))
      console.error(`  ${framework.name} skipped: it is not installed here`)
    else scores.push(await tryFramework(framework, { world, folder, environment }))
  }
  return scores
}

interface Trial {
  readonly world: World
  readonly folder: string
  readonly environment: Record<string, string>
}

async function tryFramework(framework: Framework, { world, folder, environment }: Trial): Promise<Score> {
  const { name, command } = framework
  const subject = fresh(`Mail of ${name}`)
  const { code, stdout, stderr } = await runProgram(command, folder, { ...environment, SUBJECT: subject })
  const version = /^\{"version":"([^"]+)"\}$/m.exec(stdout)?.[1] ?? '?'
  const score = new Score(name, version)
  const mistakes =
    code === 0 ? await mistakesOf(world, framework, subject) : [`exit code ${code}: ${stderr.slice(-300)}`]
  score.count('send', mistakes)
  return score
}

/** The mail of a framework, as the API shows it: both bodies, everybody it is for, a header, tags, and the attachment byte for byte. */
async function mistakesOf(world: World, { withoutTags }: Framework, subject: string): Promise<string[]> {
  const find = async () => {
    const { data } = await world.ask('GET', '/emails?limit=100')
    return data.find((email: Json) => email.subject === subject)
  }
  const found = await until(find)
  if (!found) return [`no email with the subject ${subject}`]
  const email = await world.ask('GET', `/emails/${found.id}`)
  const { source } = await world.ask('GET', `/emails/${found.id}/source`)
  const files = await world.ask('GET', `/emails/${found.id}/attachments`)
  const file = files.data?.[0] && (await fetch(files.data[0].download_url).then((reply) => reply.text()))
  return differences(
    { ...email, source, files: files.data?.map((one: Json) => one.filename), file },
    {
      from: /^"?Acme"? <me@acme\.example>$/,
      to: ['you@example.com'],
      cc: ['copy@example.com'],
      bcc: ['hidden@example.com'],
      reply_to: ['help@acme.example'],
      html: /<p>Hi from \w+<\/p>/,
      text: /^Hi from \w+/,
      source: /^X-Order: 7\r$/m,
      files: ['notes.txt'],
      file: 'hello',
      ...(!withoutTags && { tags: [{ name: 'kind', value: 'greeting' }] }),
    },
  )
}

/** What only the other side can do: received mail, an inbox with a thread, a domain of somebody else, a program let in. */
async function setOut(key: string, world: World): Promise<Record<string, string>> {
  const subject = await world.receive()
  const received = await until<Json>(async () => {
    const { data } = await world.ask('GET', '/emails/receiving?limit=10')
    return data.find((email: Json) => email.subject === subject)
  })
  const domain = `${fresh(key)}.example`
  const capabilities = { sending: 'enabled', receiving: 'enabled' }
  await world.ask('POST', '/domains', { name: domain, capabilities })
  const inbox = await world.ask('POST', '/inboxes', { email_address: `desk@${domain}` })
  await world.receive(`desk@${domain}`)
  await until(async () => (await world.ask('GET', `/inboxes/${inbox.id}/threads`)).data[0])
  const claim = async () => {
    const name = `${fresh(`claimed-${key}`)}.example`
    await world.ask('POST', '/domains', { name }, world.neighbour)
    return name
  }
  return {
    RESEND_API_KEY: world.token,
    BASE_URL: world.url,
    RESEND_BASE_URL: world.url,
    SMTP_PORT: String(world.smtpPort),
    HOOK_URL: `${world.hookUrl}/${key}`,
    RECEIVED_ID: received.id,
    INBOX_ID: inbox.id,
    INBOX_DOMAIN: domain,
    // A second one of what can be used once, for SDKs that have each method twice.
    CLAIM: await claim(),
    CLAIM_ASYNC: await claim(),
    GRANT: await world.grant(),
    GRANT_ASYNC: await world.grant(),
  }
}
