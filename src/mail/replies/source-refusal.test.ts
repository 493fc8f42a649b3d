import { describe, expect, test } from 'vitest'
import { judgeReply } from './judge-reply.ts'
import { parseReply } from './parse-reply.ts'

const isOfSource = (reply: string) => {
  const outcome = judgeReply(parseReply(reply)!)
  return outcome.kind === 'deferred' && outcome.sourceRefusedFor !== undefined
}

describe('about the address that mail comes from', () => {
  test.each([
    // Outlook.com
    '550 5.7.1 Unfortunately, messages from [192.0.2.1] weren’t sent. Please contact your Internet service provider since part of their network is on our block list (S3150). You can also refer your provider to http://mail.live.com/mail/troubleshooting.aspx#errors. [AM7EUR06FT042.eop-eur06.prod.protection.outlook.com]',
    '550 5.7.1 Unfortunately, messages from [192.0.2.1] weren’t sent. Please contact your Internet service provider since part of their network is on our block list (S3140).',
    '550 5.7.511 Access denied, banned sending IP[192.0.2.1]. To request removal from this list please forward this message to delist@messaging.microsoft.com.',
    '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/',
    // Yahoo, AOL
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list; see https://postmaster.yahooinc.com/error-codes",
    '553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed. See https://postmaster.yahooinc.com/error-codes',
    // Gmail
    '550-5.7.1 [192.0.2.1      12] Our system has detected an unusual rate of\n550-5.7.1 unsolicited mail originating from your IP address. To protect our\n550-5.7.1 users from spam, mail sent from your IP address has been blocked.\n550-5.7.1 Please visit\n550 5.7.1  https://support.google.com/mail/?p=UnsolicitedIPError a1-20020a170906.1 - gsmtp',
    '550-5.7.1 [192.0.2.1] Our system has detected that this message is\n550-5.7.1 likely suspicious due to the very low reputation of the sending IP\n550-5.7.1 address. To best protect our users from spam, the message has been\n550 5.7.1 blocked. - gsmtp',
    // Postfix, Exim and others that ask a list
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1',
    '550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus. To request removal from this list see https://www.spamhaus.org/query/ip/192.0.2.1 (AS3130). [BN8NAM11FT013.eop-nam11.prod.protection.outlook.com]',
    '554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: listed in bl.spamcop.net',
    '550 5.7.1 Mail from IP 192.0.2.1 was rejected due to listing in Spamhaus SBL. For details please see http://www.spamhaus.org/query/ip/192.0.2.1',
    '550 rejected because 192.0.2.1 is in a black list at b.barracudacentral.org',
    '554 5.7.1 The server sending your mail [192.0.2.1] is listed on bl.example-list.org: host 192.0.2.1 blocked using dnsbl-1.uceprotect.net',
    '550 5.7.1 Your IP address 192.0.2.1 has been blacklisted by this server',
    '554 5.7.1 Your host has a poor reputation: the sending IP has a poor reputation at Cloudmark',
    '554-mx.example.net\n554 Your access to this mail system has been rejected due to the poor reputation of the sending IP',
  ])('%s', (reply) => {
    expect(isOfSource(reply)).toBe(true)
  })
})

describe('about something else', () => {
  test.each([
    // iCloud: of the message, and of no address
    '554 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
    '550 5.7.1 [HM08] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
    '550 5.1.1 The email account that you tried to reach does not exist',
    '550 5.1.1 <blocked@example.com>: Recipient address rejected: User unknown',
    '552 5.2.2 Mailbox full',
    '550 5.7.1 Message rejected as spam by content filter',
    '550 5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
    '550-5.7.1 [192.0.2.1 19] Our system has detected that this message is\n550-5.7.1 likely suspicious due to the very low reputation of the sending\n550 5.7.1 domain. To best protect our users from spam, the message has been blocked.',
    '554 5.7.1 Blocked: a URL in this message is listed on dbl.spamhaus.org',
    '550 5.7.1 Message contains a link that is listed by SURBL; see http://www.surbl.org',
    '554 5.7.1 Sender domain example.org blocked using dbl.spamhaus.org',
    '550 5.7.1 You are not allowed to send to this mailing list',
    '550 5.7.515 Access denied, sending domain example.org does not meet the required authentication level.',
    '550 5.7.1 The user or domain that you are sending to has a policy that prohibits the mail that you sent',
    // For now is something else: it passes by itself, and is waited for anyway.
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
    '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. (S775)',
    '450 4.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org',
    '250 2.0.0 blocked using zen.spamhaus.org',
  ])('%s', (reply) => {
    expect(isOfSource(reply)).toBe(false)
  })
})
