import { expect, test } from 'vitest'
import { BROWSER } from '../../../test/harness/tracked-mail.ts'
import { type Circumstances, judge } from './judge.ts'

const OUTLOOK = 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)'
const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
const YAHOO = 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'

/** A minute after delivery, unless said otherwise. */
const verdictOn = (
  headers: Record<string, string>,
  circumstances: Partial<Circumstances> = {},
  method: 'GET' | 'HEAD' = 'GET',
) => {
  const { kind, reason, is_counted } = judge(
    { method, host: 'localhost', ipAddress: '192.0.2.1', headers },
    { kind: 'open', secondsSinceDelivery: 60, linksAtOnce: 1, ...circumstances },
  )
  return [kind, reason, is_counted]
}
const agent = (text: string, circumstances: Partial<Circumstances> = {}) =>
  verdictOn({ 'user-agent': text }, circumstances)

test('browsers and mail programs are people', () => {
  expect(verdictOn(BROWSER)).toEqual(['person', 'browser', true])
  expect(verdictOn(BROWSER, { kind: 'click' })).toEqual(['person', 'browser', true])
  expect(agent(OUTLOOK)).toEqual(['person', 'mail_program', true])
  expect(agent('Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Thunderbird/115.3.1')).toEqual([
    'person',
    'mail_program',
    true,
  ])
})

test('proxies that load when somebody opens the mail are people behind a proxy, unless nobody can have opened it yet', () => {
  expect(agent(GMAIL)).toEqual(['privacy_proxy', 'google_image_proxy', true])
  expect(agent(YAHOO)).toEqual(['privacy_proxy', 'yahoo_mail_proxy', true])
  expect(agent(GMAIL, { secondsSinceDelivery: 0.4 })).toEqual(['privacy_proxy', 'google_image_proxy', false])
})

test('a proxy that loads everything tells nothing', () => {
  expect(agent('Mozilla/5.0')).toEqual(['privacy_proxy', 'apple_mail_privacy', false])
})

test('scanners are known by name, by haste, and by what they ask for', () => {
  expect(agent('Mozilla/5.0 (compatible; Barracuda Sentinel; EE)')).toEqual(['scanner', 'known_scanner', false])
  expect(agent('Microsoft Office Existence Discovery')).toEqual(['scanner', 'known_scanner', false])
  expect(agent('Slackbot-LinkExpanding 1.0')).toEqual(['scanner', 'known_scanner', false])
  expect(agent('python-requests/2.32')).toEqual(['scanner', 'http_library', false])
  expect(agent('node')).toEqual(['scanner', 'http_library', false])
  expect(verdictOn(BROWSER, { secondsSinceDelivery: 0.9 })).toEqual(['scanner', 'within_a_second_of_delivery', false])
  expect(verdictOn(BROWSER, { secondsSinceDelivery: -2 })).toEqual(['scanner', 'within_a_second_of_delivery', false])
  expect(verdictOn(BROWSER, { kind: 'click', linksAtOnce: 2 })).toEqual(['scanner', 'several_links_at_once', false])
  expect(verdictOn(BROWSER, {}, 'HEAD')).toEqual(['scanner', 'head_request', false])
  expect(verdictOn({ ...BROWSER, 'sec-purpose': 'prefetch;prerender' })).toEqual(['scanner', 'prefetch', false])
})

test('what cannot be told is unknown, and does not count', () => {
  expect(verdictOn({})).toEqual(['unknown', 'no_user_agent', false])
  expect(agent('Acme/1.0')).toEqual(['unknown', 'unknown_program', false])
  expect(agent(BROWSER['user-agent'], { kind: 'click' })).toEqual(['unknown', 'no_language', false])
  expect(verdictOn(BROWSER, { secondsSinceDelivery: null })).toEqual(['unknown', 'before_delivery', false])
})
