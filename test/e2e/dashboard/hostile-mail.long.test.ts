import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../harness/chromium-path.ts'
import { startDashboard } from '../../harness/dashboard.ts'
import { atEndOf } from '../../harness/program.ts'
import { eventually } from '../../harness/service.ts'

const SUBJECT = '<img src=x onerror=pwned=1>'

/** Everything that html can fetch, run, send or cover. `SPY` is a server that writes down what it is asked for. */
const HOSTILE = (spy: string) => `<!doctype html><html><head>
<base href="${spy}/base/">
<meta http-equiv="refresh" content="0; url=${spy}/refresh">
<meta http-equiv="Content-Security-Policy" content="default-src *">
<link rel="stylesheet" href="${spy}/style.css"><link rel="preload" as="image" href="${spy}/preload.png">
<link rel="prefetch" href="${spy}/prefetch"><link rel="dns-prefetch" href="${spy}"><link rel="icon" href="${spy}/icon">
<script src="${spy}/script.js"></script><script>top.pwned = parent.pwned = window.pwned = true</script>
<style>@import url("${spy}/import.css"); @font-face { font-family: x; src: url("${spy}/font.woff2") }
body { background: url("${spy}/background.png"); font-family: x } a::before { content: url("${spy}/content.png") }
#cover { position: fixed; inset: 0; z-index: 2147483647; background: red }</style></style>
</head><body onload="parent.pwned = true" background="${spy}/body.png">
<p id="hello">Hello from a stranger</p>
<img src="${spy}/picture.png" srcset="${spy}/srcset.png 2x" onerror="parent.pwned = true" onload="parent.pwned = true">
<img src="cid:%zz"><img src="cid:__proto__"><img src=x onerror="parent.pwned=true"><picture><source srcset="${spy}/source.png"><img src="${spy}/inside.png"></picture>
<svg onload="parent.pwned = true"><image href="${spy}/svg.png"/><script>parent.pwned = true</script>
<use href="${spy}/use.svg#x"/><foreignObject><iframe src="${spy}/foreign"></iframe></foreignObject></svg>
<math><mtext><table><mglyph><style><img src=x onerror="parent.pwned = true"></style></mglyph></table></mtext></math>
<iframe src="${spy}/frame"></iframe><iframe srcdoc="<script>parent.parent.pwned = true</script>"></iframe>
<object data="${spy}/object"></object><embed src="${spy}/embed"><video src="${spy}/video" poster="${spy}/poster.png" autoplay></video>
<audio src="${spy}/audio" autoplay></audio><input type="image" src="${spy}/input.png" autofocus onfocus="parent.pwned = true">
<form action="${spy}/form" method="post" target="_top"><input name="password"><button id="submit">Sign in</button></form>
<details open ontoggle="parent.pwned = true"><summary>x</summary></details><marquee onstart="parent.pwned = true">x</marquee>
<a id="script" href="javascript:parent.pwned=true">a script</a>
<a id="spaced" href=" java&#10;script:parent.pwned=true">a script in disguise</a>
<a id="data" href="data:text/html,<script>opener.pwned=true</script>">data</a>
<a id="link" href="${spy}/link" ping="${spy}/ping" target="_top">a link</a>
<div id="cover" style="background-image: url('${spy}/inline.png')"></div>
<template><img src="${spy}/template.png"></template><noscript><img src="${spy}/noscript.png"></noscript>
<div style="behavior: url(${spy}/behavior.htc); -moz-binding: url(${spy}/binding.xml)">x</div>
</body></html>`

describe.runIf(CHROMIUM)('a hostile mail', () => {
  const at = startDashboard()
  let spy: string
  let id: string
  const asked: string[] = []

  beforeAll(async () => {
    const server = createServer((request, reply) => {
      asked.push(request.url!)
      reply.setHeader('access-control-allow-origin', '*').end('parent.pwned = true')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    atEndOf('file', () => server.close())
    spy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const email = { from: 'a@example.com', to: 'b@example.com', subject: SUBJECT, html: HOSTILE(spy) }
    id = (await at.post('/emails', email)).id
    await at.follow(`/emails/${id}`)
    await inFrame().getByText('Hello from a stranger').waitFor()
  })

  /** The one that people see: another one may measure how high it is. */
  const inFrame = () => at.page.frameLocator('iframe[title]')
  const isPwned = () => at.page.evaluate('window.pwned === true')
  const elsewhere = () =>
    at.answers.filter((url) => !url.startsWith(at.service.url) && !/^(data|blob|about):/.test(url))

  const lookEverywhere = async (tabs: readonly string[]) => {
    for (const tab of tabs) await at.page.getByRole('tab', { name: tab }).click()
    await at.button('Mobile').click()
    await inFrame().getByText('Hello from a stranger').waitFor()
  }

  test('runs nothing and fetches nothing when it is looked at', async () => {
    await lookEverywhere(['Text', 'HTML', 'Source', 'Headers', 'Preview'])

    expect(await isPwned()).toBe(false)
    expect(asked).toEqual([])
    expect(elsewhere()).toEqual([])
  })

  test('is shown in a frame that may do nothing, with nothing in it that could', async () => {
    const frame = at.page.locator('iframe[title]')
    const inside = inFrame()

    expect(await frame.getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox')
    expect(
      await inside.locator('script, form, input, button, iframe, object, embed, svg, math, base, link, video').count(),
    ).toBe(0)
    expect(await inside.locator('meta[http-equiv]').count()).toBe(1) // our own
    expect(await inside.locator(':is(#script, #spaced, #data)[href]').count()).toBe(0)
    for (const name of ['onload', 'onerror', 'ontoggle', 'onfocus', 'ping', 'srcset'])
      expect([name, await inside.locator(`[${name}]`).count()]).toEqual([name, 0])
  })

  test('covers nothing of the page around it', async () => {
    await at.button('Share').click()
    await at.dialog().getByText('/shared?token=').waitFor()
    await at.page.keyboard.press('Escape')
  })

  test('has links that open another tab, which knows nothing of this one', async () => {
    const link = inFrame().locator('#link')

    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer nofollow',
    ])
    expect(asked).toEqual([])
  })

  test('gets its pictures when they are asked for, and nothing else', async () => {
    await at.button('Show images').click()
    await inFrame().getByText('Hello from a stranger').waitFor()
    await eventually(() => asked.includes('/picture.png'))
    // All of them were asked for then: none is left for the next test.
    await eventually(() => inFrame().locator('html').evaluate(`document.readyState === 'complete'`))

    expect(asked.filter((path) => !path.endsWith('.png'))).toEqual([])
    expect(await isPwned()).toBe(false)
    expect(await inFrame().locator('script, form, iframe').count()).toBe(0)
  })

  test('does no more on the page that it is shared on', async () => {
    asked.length = 0
    const { url } = (await at.service.call('POST', `/emails/${id}/share`, {})).body
    await at.page.goto(`${at.service.url}/shared${new URL(url).search}`)
    await inFrame().getByText('Hello from a stranger').waitFor()

    expect(await isPwned()).toBe(false)
    expect(asked).toEqual([])
  })

  test('that somebody else has sent does no more in the inbox', async () => {
    asked.length = 0
    const mail = { from: 'eve@elsewhere.example', to: 'desk@inbox.example', subject: SUBJECT, html: HOSTILE(spy) }
    await createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true }).sendMail(mail)
    await at.open('/received')
    await at.page.getByRole('link', { name: /eve@elsewhere/ }).click()
    await inFrame().getByText('Hello from a stranger').waitFor()
    await lookEverywhere(['HTML', 'Headers', 'Source', 'Preview'])

    expect(await isPwned()).toBe(false)
    expect(asked).toEqual([])
    expect(await at.page.locator('iframe[title]').getAttribute('sandbox')).not.toMatch(/scripts|same-origin|forms/)
  })
  test('does no more in a conversation, where its height is measured', async () => {
    asked.length = 0
    await at.post('/domains', { name: 'talk.example' })
    const inbox = await at.post('/inboxes', { email_address: 'desk@talk.example' })
    const mail = { from: 'eve@elsewhere.example', to: 'desk@talk.example', subject: SUBJECT, html: HOSTILE(spy) }
    await createTransport({ host: '127.0.0.1', port: at.service.smtpPort, ignoreTLS: true }).sendMail(mail)
    const threads = async () => (await at.service.call('GET', `/inboxes/${inbox.id}/threads`)).body.data
    await at.service.stored(async () => (await threads()).length > 0)
    await at.open(`/inboxes/${inbox.id}?thread=${(await threads())[0].id}`)
    await inFrame().getByText('Hello from a stranger').waitFor()
    const stage = at.page.locator('.frame-stage')
    await eventually(async () => !/: 120px/.test((await stage.getAttribute('style'))!))

    expect(await isPwned()).toBe(false)
    expect(asked).toEqual([])
    expect(await at.page.locator('iframe[title]').getAttribute('sandbox')).not.toMatch(/scripts|same-origin|forms/)
  })
})
