import java.io.FileWriter;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes, copies, seeks, synchronises and reads. */
public class Main {
  public static void main(String[] arguments) throws Exception {
    try (Writer writer = new FileWriter("text")) {
      for (int i = 0; i < 5000; i++) writer.write(i + "\n");
    }
    Files.copy(Path.of("text"), Path.of("copy"));
    try (RandomAccessFile file = new RandomAccessFile("copy", "rw")) {
      file.seek(100);
      file.write(7);
      file.getFD().sync();
    }
    int lines = Files.readAllLines(Path.of("text")).size();
    System.out.println(Files.size(Path.of("copy")) + " " + lines);
  }
}
