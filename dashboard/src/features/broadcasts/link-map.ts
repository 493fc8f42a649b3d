import type { Reply } from '../../api.ts'

type ClickedLink = Reply<'broadcasts.clicked-links'>['data'][number]

const BADGE =
  'display:inline-block;margin-left:4px;padding:1px 6px;border-radius:9px;font:600 11px/16px system-ui,sans-serif;color:#fff;vertical-align:middle;text-decoration:none;'

/** From grey to green: how much of the clicks of the most clicked link. */
const colourOf = (share: number) => (share > 0.66 ? '#1a7f37' : share > 0.33 ? '#2f6f9f' : '#6b6b6b')

/** The html of a broadcast with the number of people who clicked each link beside it. */
export function withClicks(html: string, links: readonly ClickedLink[]): string {
  const most = Math.max(1, ...links.map(({ unique_clicks }) => unique_clicks))
  const byUrl = new Map(links.map((link) => [link.url, link.unique_clicks]))
  const document = new DOMParser().parseFromString(html, 'text/html')
  for (const anchor of document.querySelectorAll('a[href]')) {
    const clicks = byUrl.get(anchor.getAttribute('href')!.trim())
    if (clicks === undefined) continue
    const badge = document.createElement('span')
    badge.setAttribute('style', `${BADGE}background:${colourOf(clicks / most)}`)
    badge.textContent = String(clicks)
    anchor.after(badge)
  }
  return document.documentElement.outerHTML
}
