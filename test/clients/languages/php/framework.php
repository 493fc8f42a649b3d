<?php

// One mail through Laravel: by its own transport, or with the word `package` by that of resend-laravel.
require __DIR__.'/vendor/autoload.php';

use Composer\InstalledVersions;
use Illuminate\Contracts\Console\Kernel;
use Illuminate\Foundation\Application;
use Illuminate\Mail\Mailable;
use Illuminate\Mail\Mailables\Address;
use Illuminate\Mail\Mailables\Attachment;
use Illuminate\Mail\Mailables\Content;
use Illuminate\Mail\Mailables\Envelope;
use Illuminate\Mail\Mailables\Headers;
use Illuminate\Support\Facades\Mail;
use Resend\Laravel\ResendServiceProvider;
use Symfony\Component\Mime\Email;

class Greeting extends Mailable
{
    public function envelope(): Envelope
    {
        return new Envelope(
            from: new Address('me@acme.example', 'Acme'),
            to: ['you@example.com'],
            cc: ['copy@example.com'],
            bcc: ['hidden@example.com'],
            replyTo: ['help@acme.example'],
            subject: getenv('SUBJECT'),
            metadata: ['kind' => 'greeting'],
            using: [fn (Email $email) => $email->text('Hi from Laravel')],
        );
    }

    public function content(): Content
    {
        return new Content(htmlString: '<p>Hi from Laravel</p>');
    }

    public function headers(): Headers
    {
        return new Headers(text: ['X-Order' => '7']);
    }

    public function attachments(): array
    {
        return [Attachment::fromData(fn () => 'hello', 'notes.txt')->withMime('text/plain')];
    }
}

// What an application has in its `.env`; RESEND_BASE_URL and RESEND_API_KEY are there already.
putenv('MAIL_MAILER=resend');
putenv('RESEND_KEY='.getenv('RESEND_API_KEY'));
$isPackage = ($argv[1] ?? '') === 'package';
$home = __DIR__.'/app';
@mkdir("$home/bootstrap/cache", recursive: true);
@mkdir("$home/storage/framework/views", recursive: true);
$app = Application::configure($home)->withProviders($isPackage ? [ResendServiceProvider::class] : [], withBootstrapProviders: false)->withExceptions()->create();
$app->make(Kernel::class)->bootstrap();
Mail::send(new Greeting());
$version = $isPackage ? InstalledVersions::getPrettyVersion('resend/resend-laravel') : Application::VERSION;
echo json_encode(['version' => ltrim($version, 'v')]), "\n";
