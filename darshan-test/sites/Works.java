// Each call that counts has a mark: `//= FUNCTION KIND COUNT`, so many calls of a kind for which
// this is the innermost line outside of the JDK.
package acme.io;

import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;

public class Works {
  interface Shape {
    void draw(OutputStream out, int n) throws IOException;
  }
  static class Point implements Shape {
    public void draw(OutputStream out, int n) throws IOException {
      out.write(n); //= Works$Point.draw writes 9000
    }
  }
  static class Line implements Shape {
    public void draw(OutputStream out, int n) throws IOException {
      out.write(new byte[] {1, (byte) n}); //= Works$Line.draw writes 9000
    }
  }
  static class Other implements Shape { // comes late, so that compiled code is dropped
    public void draw(OutputStream out, int n) throws IOException {
      for (int i = 0; i < 2; i++)
        out.write(n); //= Works$Other.draw writes 4000
    }
  }

  static int deep(int n, OutputStream out) throws IOException {
    if (n == 0) {
      out.write(7); //= Works.deep writes 400
      return 0;
    }
    return deep(n - 1, out) + 1;
  }

  static void shapes(String name) throws IOException {
    Shape[] some = {new Point(), new Line()};
    try (OutputStream out = new FileOutputStream(name)) { //= Works.shapes opens 2
      for (int i = 0; i < 18000; i++)
        some[i / 4500 % 2].draw(out, i);
      some[0] = new Other();
      for (int i = 0; i < 2000; i++)
        some[0].draw(out, i);
      for (int i = 0; i < 400; i++)
        deep(i % 20, out);
    }
  }

  static long backwards(String name) throws IOException {
    long sum = 0;
    try (RandomAccessFile in = new RandomAccessFile(name, "r")) {
      for (int at = 3000; at > 0; at--) {
        in.seek(at); //= Works.backwards seeks 3000
        sum += in.read(); //= Works.backwards reads 3000
      }
    }
    return sum;
  }

  static void channels(Path path) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(10);
    for (int i = 0; i < 300; i++)
      try (FileChannel channel = FileChannel.open(path)) { //= Works.channels opens 300
        buffer.clear();
        channel.read(buffer, i); //= Works.channels reads 300
      }
  }

  static int lookups(int n) {
    IntPredicate is = i -> new File("missing" + i % 7).exists(); //= Works.lookups.lambda lookups 200
    int found = 0;
    for (int i = 0; i < n; i++)
      found += is.test(i) ? 1 : 0;
    return found;
  }

  public static void main(String[] arguments) throws Exception {
    shapes("shapes");
    backwards("shapes");
    lookups(200);
    channels(Paths.get("shapes"));
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      String name = "thread" + i;
      threads[i] = new Thread(() -> write(name));
      threads[i].start();
    }
    for (Thread thread : threads)
      thread.join();
    OutputStream out = new FileOutputStream("reflected");
    java.lang.reflect.Method method = Works.class.getDeclaredMethod("once", OutputStream.class);
    for (int i = 0; i < 100; i++)
      method.invoke(null, out);
  }

  static void once(OutputStream out) throws IOException {
    out.write(1); //= Works.once writes 100
  }

  static void write(String name) {
    try (OutputStream out = new FileOutputStream(name)) {
      for (int i = 0; i < 3000; i++)
        out.write(i); //= Works.write writes 12000
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
