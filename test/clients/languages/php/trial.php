<?php

// Every method of the SDK for PHP.
require __DIR__.'/vendor/autoload.php';
require __DIR__.'/checker.php';

use Resend\Exceptions\ErrorException;
use Resend\Exceptions\WebhookSignatureVerificationException;

const NOBODY = '00000000-0000-4000-8000-000000000000';
const HELLO = ['from' => 'Acme <me@acme.example>', 'subject' => 'Hello', 'html' => '<p>Hi</p>'];

function emails(): void
{
    $to = address('you');
    $whole = HELLO + ['to' => [$to], 'cc' => address('cc'), 'bcc' => [address('bcc')], 'reply_to' => 'help@acme.example', 'text' => 'Hi',
        'headers' => ['X-Entity-Ref-ID' => '1'], 'tags' => [['name' => 'kind', 'value' => 'greeting']],
        'attachments' => [['filename' => 'a.txt', 'content' => base64_encode('hello')]]];
    $id = call('emails.send', [$whole], fn ($reply) => $reply['id'])['id'] ?? NOBODY;
    call('emails.get', [$id], fn ($reply) => $reply['to'] === [$to] && $reply['reply_to'] === ['help@acme.example'] && $reply['text'] === 'Hi');
    call('emails.list', [['limit' => 5]], lists($id));
    $key = ['idempotency_key' => fresh('key')];
    $first = call('emails.create', [HELLO + ['to' => $to], $key]);
    call('emails.send', [HELLO + ['to' => $to], $key], has(['id' => $first['id'] ?? '']));
    $later = call('emails.send', [HELLO + ['to' => $to, 'scheduled_at' => 'in 1 hour']])['id'] ?? NOBODY;
    call('emails.update', [$later, ['scheduled_at' => 'in 2 hours']], has(['object' => 'email', 'id' => $later]));
    call('emails.cancel', [$later], has(['object' => 'email', 'id' => $later]));
    call('emails.get', [$later], has(['last_event' => 'canceled']));
    call('emails.share', [$id], fn ($reply) => str_starts_with($reply['url'], 'http'));
    $files = call('emails.attachments.list', [$id], fn ($reply) => count($reply['data']) === 1);
    $file = $files['data'][0]['id'] ?? NOBODY;
    call('emails.attachments.get', [$id, $file], fn ($reply) => $reply['id'] === $file && str_starts_with($reply['download_url'], 'http'));
    $both = [HELLO + ['to' => $to], HELLO + ['to' => [$to]]];
    call('batch.send', [$both], fn ($reply) => count($reply['data']) === 2);
    call('batch.create', [$both], fn ($reply) => count($reply['data']) === 2);
    refuse('emails.send', [HELLO + ['to' => 'nobody']], ErrorException::class, 422);
    refuse('emails.get', [NOBODY], ErrorException::class, 404);
    $own = $GLOBALS['resend'];
    $GLOBALS['resend'] = Resend::client('re_wrong');
    refuse('emails.send', [HELLO + ['to' => $to]], ErrorException::class, 403);
    $GLOBALS['resend'] = $own;
}

function receiving(): void
{
    $id = getenv('RECEIVED_ID');
    call('emails.receiving.list', [['limit' => 100]], lists($id));
    call('emails.receiving.get', [$id], has(['id' => $id]));
    $files = call('emails.receiving.attachments.list', [$id], fn ($reply) => count($reply['data']) === 2);
    $file = $files['data'][0]['id'] ?? NOBODY;
    call('emails.receiving.attachments.get', [$id, $file], has(['id' => $file]));
}

function segments(): void
{
    foreach (['segments', 'audiences'] as $part) {
        $id = call("$part.create", [['name' => 'Early birds']], has(['name' => 'Early birds']))['id'] ?? NOBODY;
        call("$part.get", [$id], has(['id' => $id, 'name' => 'Early birds']));
        call("$part.list", [], lists($id));
        call("$part.remove", [$id], has(['id' => $id, 'deleted' => true]));
        refuse("$part.get", [$id], ErrorException::class, 404);
    }
}

function contacts(): void
{
    $segment = call('segments.create', [['name' => 'Navy']])['id'] ?? NOBODY;
    $other = call('segments.create', [['name' => 'Other']])['id'] ?? NOBODY;
    $topic = call('topics.create', [['name' => 'Compilers', 'default_subscription' => 'opt_out']])['id'] ?? NOBODY;
    $key = str_replace('-', '_', fresh('rank'));
    $property = call('contactProperties.create', [['key' => $key, 'type' => 'string', 'fallback_value' => 'none']], has(['object' => 'contact_property']))['id'] ?? NOBODY;
    $email = address('grace');
    $whole = ['email' => $email, 'first_name' => 'Grace', 'properties' => [$key => 'admiral'], 'segments' => [['id' => $segment]],
        'topics' => [['id' => $topic, 'subscription' => 'opt_in']]];
    $id = call('contacts.create', [$whole], has(['object' => 'contact']))['id'] ?? NOBODY;
    call('contacts.get', [$id], fn ($reply) => $reply['email'] === $email && $reply['properties'][$key]['value'] === 'admiral');
    call('contacts.get', [$email], has(['id' => $id]));
    call('contacts.list', [['limit' => 100]], lists($id));
    call('contacts.update', [$id, ['last_name' => 'Hopper', 'unsubscribed' => true]], has(['id' => $id]));
    call('contacts.get', [$id], has(['last_name' => 'Hopper', 'unsubscribed' => true]));
    call('contacts.segments.add', [$email, $other], has(['id' => $other]));
    call('contacts.segments.list', [$id], lists($other));
    call('contacts.segments.remove', [$id, $other], has(['id' => $other, 'deleted' => true]));
    call('contacts.topics.update', [$email, [['id' => $topic, 'subscription' => 'opt_out']]], has(['id' => $id]));
    call('contacts.topics.get', [$id], fn ($reply) => array_column($reply['data'], 'subscription', 'id')[$topic] === 'opt_out');
    call('contactProperties.get', [$property], has(['key' => $key, 'fallback_value' => 'none']));
    call('contactProperties.list', [], lists($property));
    call('contactProperties.update', [$property, ['fallback_value' => 'sailor']], has(['id' => $property]));
    call('contactProperties.remove', [$property], has(['id' => $property, 'deleted' => true]));
    $csv = fopen('php://memory', 'r+');
    fwrite($csv, "email,first_name\n".address('csv').",Ada\n");
    rewind($csv);
    $made = call('contacts.imports.create', [['file' => $csv, 'on_conflict' => 'upsert']], has(['object' => 'contact_import']))['id'] ?? NOBODY;
    askUntil(fn () => $made === NOBODY || $GLOBALS['resend']->contacts->imports->get($made)->status === 'completed');
    call('contacts.imports.get', [$made], fn ($reply) => $reply['status'] === 'completed' && $reply['counts']['created'] === 1);
    call('contacts.imports.list', [['limit' => 5]], lists($made));
    call('contacts.remove', [$email], fn ($reply) => $reply['deleted'] === true && $reply['contact'] === $id);
    refuse('contacts.get', [$id], ErrorException::class, 404);
}

function topics(): void
{
    $id = call('topics.create', [['name' => 'Weekly', 'default_subscription' => 'opt_in', 'description' => 'Each Monday']])['id'] ?? NOBODY;
    call('topics.get', [$id], has(['name' => 'Weekly', 'description' => 'Each Monday', 'default_subscription' => 'opt_in']));
    call('topics.update', [$id, ['name' => 'Monthly']], has(['id' => $id]));
    call('topics.list', [], lists($id));
    call('topics.remove', [$id], has(['id' => $id, 'deleted' => true]));
}

function suppressions(): void
{
    $email = address('stop');
    $id = call('suppressions.add', [['email' => $email]], has(['object' => 'suppression']))['id'] ?? NOBODY;
    call('suppressions.get', [$email], has(['id' => $id, 'email' => $email, 'origin' => 'manual']));
    call('suppressions.list', [['origin' => 'manual', 'limit' => 5]], lists($id));
    call('suppressions.remove', [$id], has(['id' => $id, 'deleted' => true]));
    $both = [address('stop'), address('stop')];
    call('suppressions.batch.add', [['emails' => $both]], fn ($reply) => count($reply['data']) === 2);
    call('suppressions.batch.remove', [['emails' => $both]], fn ($reply) => array_column($reply['data'], 'deleted') === [true, true]);
}

function domains(): void
{
    $name = fresh('php').'.example';
    $whole = ['name' => $name, 'capabilities' => ['receiving' => 'enabled']];
    $id = call('domains.create', [$whole], fn ($reply) => $reply['name'] === $name && count($reply['records']) > 3)['id'] ?? NOBODY;
    call('domains.get', [$id], has(['id' => $id, 'name' => $name]));
    call('domains.list', [], lists($id));
    call('domains.update', [$id, ['open_tracking' => true, 'tls' => 'enforced']], has(['id' => $id]));
    call('domains.verify', [$id], has(['id' => $id]));
    call('domains.remove', [$id], has(['id' => $id, 'deleted' => true]));
    $claim = call('domains.claims.create', [['name' => getenv('CLAIM')]], has(['object' => 'domain_claim']));
    call('domains.claims.get', [$claim['domain_id'] ?? NOBODY], has(['id' => $claim['id'] ?? '']));
    call('domains.claims.verify', [$claim['domain_id'] ?? NOBODY], has(['id' => $claim['id'] ?? '']));
}

function keys(): void
{
    $id = call('apiKeys.create', [['name' => 'Server', 'permission' => 'sending_access']], fn ($reply) => str_starts_with($reply['token'], 're_'))['id'] ?? NOBODY;
    call('apiKeys.list', [], lists($id));
    call('apiKeys.update', [$id, ['name' => 'Other']], has(['id' => $id]));
    call('apiKeys.remove', [$id]);
    refuse('apiKeys.remove', [NOBODY], ErrorException::class, 404);
}

function templates(): void
{
    $alias = fresh('order');
    $whole = ['name' => 'Order', 'alias' => $alias, 'from' => 'shop@acme.example', 'subject' => 'Order {{{NUMBER}}}', 'html' => '<p>{{{NUMBER}}}</p>',
        'variables' => [['key' => 'NUMBER', 'type' => 'number', 'fallback_value' => 1]]];
    $id = call('templates.create', [$whole], has(['object' => 'template']))['id'] ?? NOBODY;
    call('templates.update', [$id, ['text' => 'Order {{{NUMBER}}}']], has(['id' => $id]));
    call('templates.publish', [$id], has(['id' => $id]));
    call('templates.get', [$alias], has(['id' => $id, 'status' => 'published']));
    call('templates.list', [], lists($id));
    $sent = call('emails.send', [['to' => 'reader@example.com', 'template' => ['id' => $alias, 'variables' => ['NUMBER' => 7]]]])['id'] ?? NOBODY;
    call('emails.get', [$sent], has(['subject' => 'Order 7', 'html' => '<p>7</p>']));
    $copy = call('templates.duplicate', [$id])['id'] ?? NOBODY;
    call('templates.remove', [$copy], has(['id' => $copy, 'deleted' => true]));
}

function broadcasts(): void
{
    $segment = call('segments.create', [['name' => 'Readers']])['id'] ?? NOBODY;
    call('contacts.create', [['email' => address('reader'), 'segments' => [['id' => $segment]]]]);
    $letter = ['segment_id' => $segment, 'from' => 'news@acme.example', 'subject' => 'News', 'html' => '<p>News</p>', 'name' => 'May'];
    $id = call('broadcasts.create', [$letter])['id'] ?? NOBODY;
    call('broadcasts.get', [$id], has(['id' => $id, 'name' => 'May', 'status' => 'draft']));
    call('broadcasts.update', [$id, ['name' => 'June']], has(['id' => $id]));
    call('broadcasts.list', [], lists($id));
    $other = call('broadcasts.create', [$letter])['id'] ?? NOBODY;
    call('broadcasts.send', [$other, ['scheduled_at' => 'in 1 hour']], has(['id' => $other]));
    call('broadcasts.cancel', [$other], has(['id' => $other]));
    call('broadcasts.remove', [$other], has(['id' => $other, 'deleted' => true]));
    call('broadcasts.send', [$id, []], has(['id' => $id]));
}

function webhooks(): void
{
    $endpoint = getenv('HOOK_URL');
    $hook = call('webhooks.create', [['endpoint' => $endpoint, 'events' => ['email.sent']]], fn ($reply) => str_starts_with($reply['signing_secret'], 'whsec_'));
    $id = $hook['id'] ?? NOBODY;
    call('webhooks.get', [$id], has(['id' => $id, 'endpoint' => $endpoint]));
    call('webhooks.list', [], lists($id));
    call('emails.send', [HELLO + ['to' => address('hook')]]);
    $delivery = askUntil(fn () => json_decode(@file_get_contents($endpoint) ?: 'null', true));
    call('webhooks.verify', [$delivery['body'], $delivery['headers'], $hook['signing_secret'] ?? ''], fn ($reply) => $reply === true);
    refuse('webhooks.verify', [$delivery['body'].' ', $delivery['headers'], $hook['signing_secret'] ?? ''], WebhookSignatureVerificationException::class);
    call('webhooks.update', [$id, ['status' => 'disabled']], has(['id' => $id]));
    call('webhooks.remove', [$id], has(['id' => $id, 'deleted' => true]));
}

function automations(): void
{
    $name = fresh('user.created');
    $event = call('events.create', [['name' => $name, 'schema' => ['plan' => 'string']]], has(['object' => 'event']))['id'] ?? NOBODY;
    call('events.get', [$name], has(['id' => $event, 'name' => $name, 'schema' => ['plan' => 'string']]));
    call('events.update', [$name, ['schema' => ['plan' => 'string', 'at' => 'date']]], has(['id' => $event]));
    call('events.list', [], lists($event));
    $steps = [['key' => 'start', 'type' => 'trigger', 'config' => ['event_name' => $name]], ['key' => 'pause', 'type' => 'delay', 'config' => ['duration' => '1 hour']]];
    $whole = ['name' => 'Welcome', 'status' => 'enabled', 'steps' => $steps, 'connections' => [['from' => 'start', 'to' => 'pause']]];
    $id = call('automations.create', [$whole], has(['object' => 'automation']))['id'] ?? NOBODY;
    call('automations.get', [$id], fn ($reply) => $reply['status'] === 'enabled' && $reply['steps'][0]['config']['event_name'] === $name);
    call('automations.list', [['status' => 'enabled']], lists($id));
    call('events.send', [['event' => $name, 'email' => address('ada'), 'payload' => ['plan' => 'pro']]], has(['event' => $name]));
    $run = askUntil(fn () => $GLOBALS['resend']->automations->runs->list($id)->data[0]['id'] ?? null) ?? NOBODY;
    call('automations.runs.list', [$id, ['status' => 'running']], lists($run));
    call('automations.runs.get', [$id, $run], fn ($reply) => $reply['id'] === $run && count($reply['steps']) === 2);
    call('automations.update', [$id, ['name' => 'Farewell']], has(['id' => $id]));
    $copy = call('automations.duplicate', [$id], has(['object' => 'automation']))['id'] ?? NOBODY;
    call('automations.stop', [$id], has(['id' => $id, 'status' => 'disabled']));
    call('automations.remove', [$copy], has(['id' => $copy, 'deleted' => true]));
    call('events.remove', [$name], has(['id' => $event, 'deleted' => true]));
}

function logs(): void
{
    $found = askUntil(fn () => $GLOBALS['resend']->logs->list(['limit' => 1])->data[0]['id'] ?? null) ?? NOBODY;
    call('logs.list', [['limit' => 100]], lists($found));
    call('logs.get', [$found], has(['id' => $found]));
    refuse('logs.get', [NOBODY], ErrorException::class, 404);
}

$resend = Resend::client(getenv('RESEND_API_KEY'));
echo json_encode(['version' => Resend::VERSION, 'methods' => methods()]), "\n";
foreach (['emails', 'receiving', 'segments', 'contacts', 'topics', 'suppressions', 'domains', 'keys', 'templates', 'broadcasts', 'webhooks', 'automations', 'logs'] as $part) {
    $part();
}
