import { describe, expect, test } from 'vitest'
import { classify } from './classify.ts'
import { parseReply } from './parse-reply.ts'

const bounceOf = (reply: string) => {
  const { type, subType } = classify(parseReply(reply)!).bounce
  return `${type} ${subType}`
}

describe('a refusal with the code of a bad address is not about the address when it speaks of', () => {
  test.each([
    ['the sender', '550 5.1.0 <news@acme.example> sender rejected'],
    ['the sender', '550 5.1.0 Sender denied as the domain is not known to us'],
    ['the sender', '553 5.1.3 MAIL FROM:<news@acme.example> is not acceptable here'],
    ['the sender', '550 5.1.7 No such user <news@acme.example>'],
    ['the sender', '550-5.1.1 No such user here 550 5.1.1 sender verify failed'],
    ['the sender', '550 5.1.1 Mail from 192.0.2.7 is refused until its PTR record is right'],
    ['the sender', '550 5.1.1 <ada@example.net>: you are not authorised to write to this group'],
    ['the sender', '550 5.4.1 <ada@example.net>: Recipient address rejected: Access denied to this sender'],
    ['SPF', '550 5.1.0 SPF check of acme.example gave a hard fail'],
    ['DKIM', '550 5.1.1 No valid DKIM signature found'],
    ['DMARC', '550 5.1.1 The DMARC policy of acme.example asks us to refuse this'],
    ['the rate', '550 5.1.1 <ada@example.net> too many recipients this hour'],
    ['the rate', '550 5.2.1 This user gets mail at a higher rate than we allow'],
    ['the rate', '550 5.1.1 Message limit for today reached'],
    [
      'a blocklist',
      '550 5.1.3 192.0.2.7 is in the list of Spamhaus, see https://check.spamhaus.org/query/ip/192.0.2.7',
    ],
    ['a blocklist', '550 5.2.1 Mailbox unavailable. 192.0.2.7 is on our blacklist'],
    ['the reputation', '554 5.1.1 Low reputation of acme.example'],
    ['the content', '550 5.1.1 This was taken for spam'],
    ['the content', '550 5.1.1 <ada@example.net> refuses mail with such headers'],
    ['a person', '553 User refused to receive this mail'],
    ['a policy', '550 5.1.1 Against the policy of this company'],
    ['the network', '550 5.1.2 The server of example.net could not be connected'],
    ['the time', '550 5.2.1 <ada@example.net> is temporarily not available, try again tomorrow'],
  ])('%s: %j', (_, reply) => {
    expect(bounceOf(reply)).not.toMatch(/^Permanent/)
  })

  test.each([
    ['550 5.1.1 <ada@example.net> is over quota', 'Transient MailboxFull'],
    ['552 5.1.1 The mailbox of this user is full', 'Transient MailboxFull'],
    ['550 5.1.1 <ada@example.net> max message size exceeded', 'Transient MessageTooLarge'],
    ['550 5.1.1 Attachments of this type are not taken', 'Transient AttachmentRejected'],
  ])('the room that there is: %j is %s', (reply, bounce) => {
    expect(bounceOf(reply)).toBe(bounce)
  })
})

describe('a refusal is about the address when it says that', () => {
  test.each([
    ['nobody has it', "554 delivery error: This user doesn't have a yahoo.com account (ada@example.net) [0]"],
    ['nobody has it', '550 5.7.1 No such user q18si1202'],
    ['nobody has it', '553 sorry, no mailbox here by that name (#5.7.1)'],
    ['nobody has it', '550 "ada@example.net" is not a known user'],
    ['nobody has it', '550 ** No mail box available for this user **'],
    ['nobody has it', '550 BAD_RECIPIENT - see https://mail.example.net/undelivered?r=BAD_RECIPIENT'],
    ['nobody has it', '550 5.1.1 <ada@example.net>: Recipient address rejected: User unknown in relay recipient table'],
    ['nobody has it', '553 5.3.0 <ada@example.net>... Addressee unknown, relay=[192.0.2.10]'],
    ['nobody has it', '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable'],
    [
      'nobody has it',
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.net not found by SMTP address lookup',
    ],
    ['nobody has it', '550 5.1.1 https://support.example.com/mail/answer?p=6596 ad1si19972 - gsmtp'],
    ['nobody has it', "550 5.1.1 Adresse inconnue, ce destinataire n'existe pas"],
    ['nobody has it', '550 5.4.1 Recipient address rejected: Access denied. [AM0.prod.protection.example.com]'],
    ['it is not to be had', '550 5.5.0 Requested action not taken: mailbox unavailable'],
    ['it is not to be had', '550 5.1.0 Address rejected'],
    ['it is switched off', '554 Sorry, this account has been disabled or discontinued [#102]'],
    ['it is switched off', '551 <ada@example.net> is a deactivated mailbox'],
    ['its domain is not there', '550 No such domain at this location (ada@example.net)'],
    ['its domain is not there', "550 DNS type 'mx' lookup of example.net responded with code NXDOMAIN"],
    ['its domain takes no mail', '550 5.1.0 The domain example.net has a null MX'],
  ])('%s: %j', (_, reply) => {
    expect(bounceOf(reply)).toMatch(/^Permanent/)
  })
})

test('what an address or a link is called says nothing', () => {
  expect(bounceOf('550 <spam-sender.quota@example.net>: User unknown')).toBe('Permanent NoEmail')
  expect(bounceOf('550 User unknown, see https://example.net/policy/blocked')).toBe('Permanent NoEmail')
})
