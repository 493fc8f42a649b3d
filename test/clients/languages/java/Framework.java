import jakarta.mail.internet.MimeMessage;
import org.springframework.core.SpringVersion;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.mail.javamail.JavaMailSenderImpl;
import org.springframework.mail.javamail.MimeMessageHelper;

/** One mail through Spring's JavaMailSender, by SMTP: the user is `resend`, the password an API key. */
class Framework {
  public static void main(String[] words) throws Exception {
    var sender = new JavaMailSenderImpl();
    sender.setHost("127.0.0.1");
    sender.setPort(Integer.parseInt(System.getenv("SMTP_PORT")));
    sender.setUsername("resend");
    sender.setPassword(System.getenv("RESEND_API_KEY"));
    sender.getJavaMailProperties().setProperty("mail.smtp.auth", "true");
    MimeMessage message = sender.createMimeMessage();
    var mail = new MimeMessageHelper(message, true);
    mail.setFrom("Acme <me@acme.example>");
    mail.setTo("you@example.com");
    mail.setCc("copy@example.com");
    mail.setBcc("hidden@example.com");
    mail.setReplyTo("help@acme.example");
    mail.setSubject(System.getenv("SUBJECT"));
    mail.setText("Hi from Spring", "<p>Hi from Spring</p>");
    mail.addAttachment("notes.txt", new ByteArrayResource("hello".getBytes()));
    message.setHeader("X-Order", "7");
    sender.send(message);
    System.out.println("{\"version\":\"" + SpringVersion.getVersion() + "\"}");
  }
}
