-- What each table is, said in the database itself and shown in docs/schema.sql. A comment in a migration cannot be corrected, because
-- its checksum is recorded; one of these is replaced by the next migration that changes what it is about.

comment on table teams is 'Who owns what. Nearly every other table begins with team_id, and so does every index that serves a list.';
comment on table api_keys is 'Keys of the API. The token is not stored: a prefix finds the row, the digest proves the rest.';
comment on column api_keys.domain_id is 'The only domain that it may send from; it is deleted with it.';
comment on table sessions is 'Who is signed in to the dashboard. A session belongs to the key that opened it, and ends with it.';
comment on table secret_key_mark is
'One row: what the secret key leaves behind, so that a process with another key notices before it seals or opens anything.';
comment on table schema_migrations is 'The migrations that have run, with the checksum of each.';

comment on table topics is 'What contacts can subscribe to and unsubscribe from.';
comment on table segments is 'Named sets of contacts; an audience of the older API is one.';
comment on table contact_properties is 'Fields that a team has defined for its contacts.';
comment on table contacts is 'People that a team writes to: one row for each address, however it is spelled.';
comment on column contacts.properties is 'Values by the id of their property: one that is deleted and made again starts empty.';
comment on table contact_segments is 'Which contact is in which segment. The foreign keys carry the team, so no link can join two teams.';
comment on table contact_topics is 'Explicit choices only; without one the default of the topic counts.';
comment on table contact_imports is 'Uploads of contacts, how far each has come, and its counts.';
comment on column contact_imports.read_to is 'The byte up to which the file is dealt with; moves in one transaction with the counts.';
comment on table contact_import_pieces is
'The uploaded file in pieces, so that any process can go on with it. Written before their import, deleted when it ends.';
comment on table suppressions is 'Addresses that a team does not send to, and why.';
comment on column suppressions.source_id is 'The email that caused it; null for a manual one.';

comment on table domains is 'Domains that teams send from and receive for. A name belongs to one team.';
comment on column domains.checks is
'What the DNS said about each needed record, and since when. status and the is_…_verified columns are derived from it.';
comment on column domains.is_placeholder is 'Stands for a domain of another team until the claim on it is settled.';
comment on column domains.receiving_proof is 'How the team proves that it may receive: its DKIM key, a TXT record, or (older ones) the MX alone.';
comment on table domain_keys is 'DKIM keys. The private half is sealed with the secret key.';
comment on table domain_claims is 'Requests to take a domain over from another team.';
comment on column domain_claims.domain_id is 'The placeholder; no reference, since a claim that failed outlives it.';

comment on table templates is 'Templates: name, alias, and which versions of the content are current and published.';
comment on table template_versions is 'Contents of templates. Never changed: an edit writes the next version.';
comment on table template_variables is 'The variables of a version. A variable keeps its id and its age from version to version.';

comment on table emails is
'Emails that were accepted. Bodies are in a table of their own: lists do not read them, and a new last_event does not rewrite them.';
comment on table email_bodies is 'The bodies of an email. A copy of a broadcast has none.';
comment on table email_attachments is 'What describes an attachment; its content is in the blob store.';
comment on table submitted_messages is 'Messages that clients submitted by SMTP, byte for byte: they leave as they came.';
comment on column submitted_messages.layout is 'Where in it the parts are that may have to change before it leaves.';
comment on table emails_by_status is
'Emails in a rare status, for the filter of the list. Kept by triggers; an index on last_event would end HOT updates of emails.';
comment on table idempotency_keys is
'One row for each key of a team and an endpoint. Without a response the first request is still being handled.';
comment on column idempotency_keys.holder is 'The node that handles the first request.';

comment on table deliveries is
'The ledger: one row for each recipient of an email. A row that is no longer waiting does not change again.';
comment on column deliveries.position is 'The place among to, cc and bcc, in this order.';
comment on column deliveries.priority is '0 is claimed before 1: a password reset does not wait behind a newsletter.';
comment on column deliveries.holder is 'The node that has claimed it; the row of the node is the lease.';
comment on column deliveries.claims is 'Tells one claim from the next: a worker that comes back late settles nothing.';
comment on column deliveries.replies is 'What the other side said, attempt by attempt.';
comment on column deliveries.parked_for is 'The destination that has enough in hand; who has room for it claims the row before it is due.';
comment on table delivery_reports is 'What came back to the return path of an email, until it has been read.';
comment on table loose_blobs is
'Blobs that no row names: not yet, or not any more. Noted before the blob is written; what a crash leaves is deleted a day later.';

comment on table received_emails is
'Mail that arrived. What its header says is written before the 250, the rest when the message has been parsed.';
comment on column received_emails.received_for is 'The recipients of the envelope that it was accepted for.';
comment on column received_emails.raw_blob is 'Where the message is in the blob store; null: in received_raws.';
comment on column received_emails.authentication is 'What SPF, DKIM, DMARC and ARC say about it; null until they were asked.';
comment on table received_raws is 'Small messages as they arrived, uncompressed: one commit makes many of them durable.';
comment on table received_bodies is 'What was parsed from a message: header fields, bodies, and what could not be read.';
comment on table received_attachments is 'What describes an attachment of a message that arrived; its content is in the blob store.';

comment on table request_logs is
'Every call of the API, written in batches after the answer. Bodies are text: they are handed back as they came, and never searched.';

comment on table outbox is 'Events: everything that the outside may learn, written in the transaction of its cause.';
comment on column outbox.about is 'The email that it is about: its events are its timeline.';
comment on table webhooks is 'Endpoints, and the types of events that each wants.';
comment on column webhooks.failing_since is 'Since when every attempt has failed; null: the last one did not.';
comment on table webhook_secrets is 'Secrets that sign: the current one, and replaced ones for another day. Sealed with the secret key.';
comment on table webhook_deliveries is
'One row for each event and webhook. No foreign keys: the rows of a deleted webhook can be a million, and are deleted later.';
comment on column webhook_deliveries.failures is 'How many retries there were; replays do not count.';
comment on column webhook_deliveries.due_at is 'When a worker has something to do with it; null: never again.';
comment on column webhook_deliveries.holder is 'The node that has claimed it; the row of the node is the lease.';
comment on column webhook_deliveries.claims is 'Tells one claim from the next: a worker that comes back late settles nothing.';
comment on table webhook_attempts is 'What came of each attempt. Without a status code nobody answered, and error says why.';

comment on table broadcasts is 'One message to a segment. Its content cannot change once it is being sent, so its emails have no copy of it.';
comment on column broadcasts.reached is 'The last contact that the walk through the segment has dealt with.';
comment on column broadcasts.until is 'The last contact that there was when the walk began: later ones are not written to.';
comment on column broadcasts.tried_to is 'Up to this recipient every copy has been tried.';
comment on table broadcast_recipients is
'Every contact that a broadcast has reached, once. Without a reason there is an email with the same id.';
comment on column broadcast_recipients.contact_id is 'No reference: who got a copy has got it, also when the contact is deleted.';
comment on column broadcast_recipients.variables is 'All in the copy that is its own.';
comment on column broadcast_recipients.unsubscribed_at is 'When the unsubscribe link of the copy was used.';

comment on table metric_facts is
'What happened to which email and when, as it is counted. Most things count once for an email, opens and clicks each time. Outlives the events.';
comment on column metric_facts.event_id is 'Zeros where a second one does not count.';
comment on table metric_counts is
'The counts of a quarter of an hour: hours, days and months of every time zone are sums of them. Zeros stand for no domain and no broadcast.';

comment on table jobs is 'Work to do later, enqueued in the transaction of its cause and deleted when it is done. Failed for good: failed_at.';
comment on column jobs.holder is 'The node that has claimed it; the row of the node is the lease.';
comment on column jobs.claims is 'Tells one claim from the next: a worker that comes back late settles nothing.';
comment on column jobs.crashes is 'How often a process ended while it ran it; counted for jobs that read what strangers wrote.';
comment on table nodes is 'The processes that run. A row is the lease of all that its process has claimed: without it nothing is held.';
comment on column nodes.beat is 'Raised every second. Who sees it stand still for 6 s deletes the row.';
comment on column nodes.machine is 'With pid: on the same machine one can look whether the process is gone.';
comment on column nodes.channel is 'Where its wake-ups are sent.';
comment on column nodes.works is 'The kinds of work that it claims.';
comment on column nodes.watches is 'What it wants to hear of besides.';
