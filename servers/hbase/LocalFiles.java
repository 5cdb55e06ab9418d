import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/** Files of this machine. Where Hadoop's own class starts a process, `chmod`, for each file and folder of a region, this one sets permissions itself. */
public class LocalFiles extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        StringBuilder text = new StringBuilder();
        for (FsAction action : new FsAction[] {permission.getUserAction(), permission.getGroupAction(), permission.getOtherAction()}) {
            text.append(action.SYMBOL);
        }
        Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(text.toString()));
    }
}
